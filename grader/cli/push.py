"""`grade push`: grades to a platform."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from grader.pushing.ledger import Entry
    from grader.pushing.plan import Due, Plan
    from grader.pushing.retrying import Clock
    from grader.pushing.sending import Kind, Outcome, Todo

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_EXTRAS = {"lti": "pylti1p3", "canvas": "canvasapi"}
_GOOD: tuple[Kind, ...] = ("sent", "found")
_AGAIN: tuple[Kind, ...] = ("unclear", "not taken")


@click.command(name="push")
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--lti", type=_FILE, metavar="CONFIG", help="Scores to an LTI 1.3 platform.")
@click.option("--canvas", type=_FILE, metavar="CONFIG", help="Points and pages to Canvas.")
@click.option("--dry-run", is_flag=True, help="Say what would be sent to whom; send nothing.")
@click.option("--again", multiple=True, metavar="ID",
              help="Send this submission's grade once more (repeatable).")  # fmt: skip
def command(
    out: Path, lti: Path | None, canvas: Path | None, dry_run: bool, again: tuple[str, ...]
) -> None:
    """Send the grades in OUT to a platform, each once; run again to go on.

    CONFIG is a TOML file, described in docs/push.md. Who is not known for certain is listed and
    gets nothing. Status 0: the platform has everything that is due. 1: all but what is listed.
    2: nothing can be sent. 3: OUT cannot be written.
    """
    if (lti is None) == (canvas is None):
        raise UsageError("one platform at a time", "Give --lti CONFIG or --canvas CONFIG.")
    kind, config = ("lti", lti) if lti is not None else ("canvas", canvas)
    assert config is not None
    if importlib.util.find_spec(_EXTRAS[kind]) is None:
        raise UsageError(
            f"--{kind} needs a library that is not installed",
            f"`pip install 'autograd-grader[{kind}]'` brings it.",
        )
    from grader.pushing.retrying import Clock

    sys.exit(run(kind, config, out, dry_run=dry_run, again=again, clock=Clock()))


def run(
    kind: str,
    config: Path,
    out: Path,
    *,
    dry_run: bool,
    clock: Clock,
    again: Collection[str] = (),
) -> int:
    """The whole command; its status. Raises GraderError."""
    from grader.classroom.store import Store
    from grader.cli.export import request_of
    from grader.pushing.faults import Fault
    from grader.pushing.ledger import Ledger
    from grader.pushing.sending import changed, push
    from grader.pushing.starting import ready_canvas, ready_lti, with_current_pages

    ready = ready_lti(config, clock) if kind == "lti" else ready_canvas(config, clock)
    for line in ready.warnings:
        _say(f"note: {line}", err=True)
    with Store(out) as store:  # says so where there are no results, and updates older tables
        unknown = set(again) - {name for name, _ in store.expected()}
    if unknown:
        raise UsageError(f"{out} has no submission {', '.join(sorted(unknown))}")
    with contextlib.ExitStack() as stack:
        ledger = stack.enter_context(Ledger(out, ready.target, clock))
        if not dry_run:
            stack.enter_context(ledger.turn())
        try:
            channel, plan = ready.open(with_current_pages(request_of(out), out))
        except Fault as fault:
            raise UsageError(f"nothing was sent: {fault}", "Try again later.") from None
        _list(plan, ledger.latest())
        todo = changed(channel, plan.due, ledger, again)
        unchanged = len(plan.due) - len(todo)
        if dry_run:
            _show(todo)
            _say(f"{len(todo)} would be sent to {channel.target}, {unchanged} unchanged")
            return 1 if plan.problems else 0
        outcome = push(channel, todo, ledger, clock, ready.patience, _hear)
        return _sum_up(outcome, plan, unchanged)


def _say(line: str, err: bool = False) -> None:
    from grader.report.screen import clean

    click.echo(clean(line), err=err)


def _hear(kind: Kind, due: Due, words: str) -> None:
    said = kind if kind == "sent" else f"{kind}: {words}"
    _say(f"{due.line}, {said}", err=kind not in _GOOD)


def _show(todo: Sequence[Todo]) -> None:
    for one in todo:
        uncertain = one.last is not None and one.last.state == "sending"
        looked = ", unless the last try got there" if uncertain else ""
        _say(f"would send {one.due.line}{looked}")


def _list(plan: Plan, latest: Sequence[Entry]) -> None:
    for line in plan.notes:
        _say(f"note: {line}", err=True)
    for line in plan.held:
        _say(f"no grade: {line}", err=True)
    for line in plan.problems:
        _say(f"unmatched: {line}", err=True)
    due = {one.user for one in plan.due}
    for entry in latest:
        if entry.user not in due and entry.state != "refused":
            was = "may have been" if entry.state == "sending" else "was"
            points = f"{entry.score:g} of {entry.max_score:g}"
            _say(
                f"note: user {entry.user} {was} sent {points} for {entry.submission} before; "
                "nothing is due now, and nothing takes it back",
                err=True,
            )


def _sum_up(outcome: Outcome, plan: Plan, unchanged: int) -> int:
    counts = outcome.counts
    sent = sum(counts.get(kind, 0) for kind in _GOOD)
    parts = [f"{sent} sent", f"{unchanged} unchanged"]
    parts += [f"{number} {kind}" for kind, number in counts.items() if kind not in _GOOD]
    parts += [f"{len(plan.held)} without a grade"] if plan.held else []
    parts += [f"{len(plan.problems)} unmatched"] if plan.problems else []
    if outcome.left:
        parts.append(f"{outcome.left} not tried")
    if outcome.stopped:
        _say(f"stopped: {outcome.stopped}", err=True)
    _say(", ".join(parts))
    if outcome.left or any(counts.get(kind) for kind in _AGAIN):
        _say("Run the same again to go on: what was sent is not sent twice.", err=True)
    return 0 if outcome.complete and not plan.problems else 1
