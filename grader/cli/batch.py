"""`grade batch`: a whole class."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.assignment import Assignment, find_assignment
from grader.cli.check import LEVELS
from grader.cli.progress import Progress
from grader.cli.running import Starting, no_collection
from grader.errors import UsageError

LAYOUTS = (
    "auto", "gradescope", "canvas", "moodle", "blackboard", "brightspace", "github", "google",
    "folder",
)  # fmt: skip

if TYPE_CHECKING:
    from grader.classroom.batch import Plan, Runs
    from grader.classroom.store import Store
    from grader.grading import Grading


@click.command(name="batch")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("-a", "--assignment", "name", required=True, metavar="NAME|DIR")
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path, file_okay=False),
              help="Where results go; run again with the same to go on.")  # fmt: skip
@click.option("--from", "layout", type=click.Choice(LAYOUTS), default="auto", show_default=True,
              help="How SOURCE is laid out.")  # fmt: skip
@click.option("--roster", type=click.Path(path_type=Path, exists=True, dir_okay=False),
              help="A CSV of who is who: id, name, email, github_username, group.")  # fmt: skip
@click.option("-j", "--jobs", type=click.IntRange(1, 256), help="Default: the cores.")
@click.option("--cluster", metavar="ADDRESS",
              help="Grade on dask workers: tcp:// or tls://HOST:PORT, or local:N.")  # fmt: skip
@click.option("--isolation", type=click.Choice(LEVELS), default="auto", show_default=True)
@click.option("--only", multiple=True, metavar="ID", help="Only this submission (repeatable).")
@click.option("--fresh", is_flag=True, help="Grade again what is done and unchanged, too.")
@click.option("--seed", type=int, help="Draw other inputs.")
@click.option("--solutions", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--quiet", is_flag=True, help="Say nothing but what went wrong.")
def command(
    source: Path,
    name: str,
    out: Path,
    layout: str,
    roster: Path | None,
    jobs: int | None,
    cluster: str | None,
    isolation: str,
    only: tuple[str, ...],
    fresh: bool,
    seed: int | None,
    solutions: Path | None,
    quiet: bool,
) -> None:
    """Grade every submission in SOURCE: a folder or zip of one file or folder each, or as
    Gradescope, Canvas, Moodle, Blackboard, Brightspace, GitHub or Google Classroom give it.

    Status 0: every submission has a verdict. 3: the grader failed on some.
    """
    if cluster and jobs:
        raise UsageError("--jobs is for this machine, and --cluster has workers of its own")
    assignment = find_assignment(name, solutions)
    with no_collection():
        from grader.classroom import batch
        from grader.classroom.intake import described, opened_class
        from grader.classroom.store import Store
        from grader.people import read_roster
    seed = assignment.seed if seed is None else seed
    # A cluster's workers need not be like this machine: each of them is asked for its level.
    level = isolation if cluster and isolation != "auto" else _level(isolation)
    known = read_roster(roster) if roster else None
    with opened_class(source, layout, known) as intake, Store(out, create=True) as store:
        if not quiet:
            click.echo(described(intake), err=True)
        _expect_same(store, assignment)
        store.note("layout", intake.layout)
        store.expect(intake.entries)
        entries = list(batch.select(intake.entries, only))
        plan = batch.plan(
            store, assignment, entries, seed=seed, isolation=level, fresh=fresh or bool(only)
        )
        started = time.monotonic()
        if not plan.to_grade:
            failed = False
        elif cluster:
            failed = _grade_on_cluster(store, assignment, plan, cluster, level, seed, quiet)
        else:
            failed = _grade(store, assignment, plan, level, jobs, seed, quiet)
        paths = batch.render_all(store)
        if not quiet:
            _summary(store, plan, intake.left_over, paths, time.monotonic() - started)
    sys.exit(3 if failed else 0)


def _level(asked: str) -> str:
    from grader.student.isolation import resolve_level

    level, reasons = resolve_level(asked)
    if level == "process" and asked != "process":
        why = f" ({'; '.join(reasons)})" if reasons else ""
        raise UsageError(
            f"no isolation that holds against strangers' code is to be had here{why}",
            "Run `grade doctor`; or say --isolation process, for code that you trust.",
        )
    return level


def _expect_same(store: Store, assignment: Assignment) -> None:
    known = store.noted("assignment")
    if known and known != assignment.name:
        raise UsageError(f"{store.path} holds results of {known}", "Choose another folder for -o.")
    store.note("assignment", assignment.name)
    store.note("title", assignment.title)
    store.note("exercises", " ".join(exercise.name for exercise in assignment.exercises))


def _grade(
    store: Store,
    assignment: Assignment,
    plan: Plan,
    level: str,
    jobs: int | None,
    seed: int,
    quiet: bool,
) -> bool:
    from grader.classroom import batch
    from grader.classroom.pool import Pool, default_jobs

    count = min(jobs or default_jobs(), len(plan.to_grade))
    hidden = [assignment.solutions] if assignment.solutions else []
    zygotes = _Zygotes(count, level, assignment, hidden)
    failed = False
    try:
        with no_collection():
            from grader.grading import with_grading

        def body(collected: Grading) -> None:
            nonlocal failed

            def make(slot: int) -> Any:
                return batch.grade_function(
                    collected.using(zygotes.slots[slot].worker, level), assignment
                )

            batch.rehearse(collected, assignment)
            zygotes.wait_until_up()
            failed = _run(store, assignment, plan, Pool(count, make, zygotes.renew), level, quiet)

        with_grading(
            assignment, body, start_worker=None, isolation=level, seed=seed, pictures="lost"
        )
    finally:
        zygotes.close()
    return failed


def _grade_on_cluster(
    store: Store,
    assignment: Assignment,
    plan: Plan,
    address: str,
    level: str,
    seed: int,
    quiet: bool,
) -> bool:
    with no_collection():
        from grader.cluster.pool import opened

    def say(line: str) -> None:
        click.echo(line, err=True)

    with opened(address, assignment, level=level, seed=seed, say=say) as pool:
        return _run(store, assignment, plan, pool, level, quiet)


def _run(
    store: Store, assignment: Assignment, plan: Plan, pool: Runs, level: str, quiet: bool
) -> bool:
    """Whether the grader failed on some."""
    from grader.classroom import batch
    from grader.classroom.pages import note_words

    note_words(store, assignment)
    started = time.time()
    failed = False
    with Progress(len(plan.to_grade), len(plan.done), quiet) as progress:

        def hear(name: str, document: dict[str, Any]) -> None:
            nonlocal failed
            status = document["grade"]["status"]
            failed = failed or status == "grader_failed"
            progress.finished(document["grade"])

        try:
            batch.run(store, assignment, plan.to_grade, pool, hear, isolation=level)
        except BaseException:
            progress.stopped(batch.count_since(store, plan.to_grade, started))
            raise
    return failed


class _Zygotes:
    """One a slot, started in this process, so that they outlive the children that use them."""

    def __init__(self, count: int, level: str, assignment: Assignment, hidden: list[Path]) -> None:
        self._level = level
        self._limits = assignment.limits
        self._hidden = hidden
        self.slots = [self._new() for _ in range(count)]

    def _new(self) -> Starting:
        return Starting(self._level, self._limits, self._hidden, warm=True, in_process=False)

    def wait_until_up(self) -> None:
        """Until all can give workers. Raises GraderFailed.

        Before any child is forked: that one is up is heard once, and a child that heard it in
        this process's stead would leave the next one waiting in vain.
        """
        for one in self.slots:
            one.worker().close()

    def renew(self, slot: int) -> None:
        """After a child died: its workers may be in any state, and end with their zygote."""
        self.slots[slot].close()
        self.slots[slot] = self._new()
        self.slots[slot].worker().close()

    def close(self) -> None:
        for one in self.slots:
            one.close()


def _summary(
    store: Store,
    plan: Plan,
    left_over: Sequence[tuple[str, str]],
    paths: Sequence[Path],
    seconds: float,
) -> None:
    from grader.classroom.tables import commonest_mistakes, distribution, rows_of

    rows = rows_of(store)
    graded = [row for row in rows if row.status == "graded"]
    again = f", {len(plan.done)} were done before" if plan.done else ""
    click.echo(f"\n{len(plan.to_grade)} graded in {seconds:.1f} s{again}\n")
    if graded:
        most = max(count for _, count in distribution(rows)) or 1
        for label, count in distribution(rows):
            click.echo(f"  {label:>12}  {'█' * round(24 * count / most):<24} {count}")
    mistakes = commonest_mistakes(list(store.results()))
    if mistakes:
        click.echo("\nCommonest mistakes")
        for slug, count in mistakes:
            click.echo(f"  {count:>5}  {slug}")
    _list("Unreadable", [row.id for row in rows if row.status == "unreadable"])
    _list("The grader failed on", [row.id for row in rows if row.status == "grader_failed"])
    _list("Not graded", [row.id for row in rows if row.status == "missing"])
    _list("For a human look", [row.id for row in rows if row.review])
    _list("Earlier attempts, not graded", [f"{name} ({of})" for of, name in store.superseded()])
    _list("No submission", [f"{name} ({why})" for name, why in left_over])
    fallen = [f"{name} ({before:g} -> {now:g})" for name, before, now in store.fallen()]
    _list("Lower than before", fallen)
    click.echo("\nWritten")
    for path in paths:
        click.echo(f"  {path}")


def _list(title: str, names: Sequence[str], most: int = 12) -> None:
    if names:
        more = f", and {len(names) - most} more" if len(names) > most else ""
        click.echo(f"\n{title} ({len(names)}): {', '.join(names[:most])}{more}")
