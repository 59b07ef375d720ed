"""An audit as tables, 100 columns wide; plain off a terminal."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Sequence

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.authoring.audit import HEADINGS, NAMED_AT_LEAST, NO_NAME, Audit, MutantSeen
from grader.report.screen import clean, points, wants_color

WIDTH = 100
LONGEST = 300  # characters of an account


def audit_table(found: Audit, *, every_mutant: bool = False, color: bool | None = None) -> str:
    """The whole audit as text; `every_mutant` adds a line for each, caught ones included."""
    colored = wants_color() if color is None else color
    console = Console(
        file=io.StringIO(), width=WIDTH, force_terminal=colored, no_color=not colored,
        color_system="standard" if colored else None, legacy_windows=False, markup=False,
        highlight=False, emoji=False,
    )  # fmt: skip
    with console.capture() as captured:
        for part in _parts(found, every_mutant):
            console.print(part)
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"


def _parts(found: Audit, every_mutant: bool) -> Iterable[RenderableType]:
    yield _heading(f"{found.assignment}: {', '.join(found.exercises)}")
    yield Text(", ".join(f"{number} {kind}" for kind, number in found.counts.items()))
    title = "Checks, on the mutants and wrong submissions of their exercise"
    yield from _titled(title, _scores(found))
    if every_mutant:
        yield from _titled("Every mutant", _every_mutant(found))
    yield from _titled("What answers that do nothing earn", _free(found))
    yield from _equivalent(found)
    yield from _names(found)
    yield from _problems(found)
    yield Text()
    yield _verdict(found)


def _titled(title: str, part: RenderableType) -> Iterable[RenderableType]:
    yield Text()
    yield _heading(title)
    yield part


def _heading(text: str) -> Text:
    return Text(clean(text), style="bold")


def _table(*columns: str, right: Sequence[str] = (), gap: int = 2) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="dim")
    for name in columns:
        justify = "right" if name in right else "left"
        table.add_column(name, justify=justify, no_wrap=name in right, overflow="fold")  # type: ignore[arg-type]
    return table


def _scores(found: Audit) -> Table:
    counts = ("points", "mutants", "alone", "wrong", "alone ", "right lost")
    table = _table("check", *counts, right=counts, gap=1)
    for score in found.scores:
        idle = score.mutants + score.wrong > 0 and not score.caught + score.wrong_caught
        failed = Text(str(score.failed_right), style="red" if score.failed_right else "")
        table.add_row(
            Text(clean(score.id), style="yellow" if idle else ""),
            points(score.points),
            f"{score.caught}/{score.mutants}",
            str(score.alone),
            f"{score.wrong_caught}/{score.wrong}",
            str(score.wrong_alone),
            failed,
        )
    return table


def _every_mutant(found: Audit) -> Table:
    short = {score.id: score.id.rpartition("::")[2] for score in found.scores}
    table = _table("operator", "change", "caught by", "named")
    for seen in found.mutants:
        caught = ", ".join(short.get(check, check) for check in seen.caught_by)
        if not caught:
            caught = "NOTHING" if seen.survived else "no verdict"
            caught = "equivalent" if seen.mutant.equivalent else caught
        table.add_row(
            seen.mutant.operator,
            Text(clean(seen.mutant.description)),
            Text(caught, style="red" if caught == "NOTHING" else ""),
            ", ".join(seen.names),
        )
    return table


def _free(found: Audit) -> Table:
    table = _table("answer", *found.exercises, right=found.exercises)
    for name, earned in found.free.items():
        cells = [earned.get(exercise) for exercise in found.exercises]
        table.add_row(name, *(f"{points(c[0])}/{points(c[1])}" if c else "" for c in cells))
    return table


def _equivalent(found: Audit) -> Iterable[RenderableType]:
    same = [seen for seen in found.mutants if seen.mutant.equivalent]
    quiet = [seen for seen in same if not seen.caught]
    loud = [seen for seen in same if seen.caught]
    if quiet:
        yield from _titled("Equivalent mutants: no fair check can catch them", _reasons(quiet))
    if loud:
        title = "Called equivalent, and yet caught: is the check fair, or the reason wrong?"
        yield from _titled(title, _reasons(loud))


def _reasons(mutants: Sequence[MutantSeen]) -> Table:
    table = _table("exercise", "change", "why it is the same")
    for seen in mutants:
        why = seen.mutant.equivalent
        if seen.caught:
            why += f" (caught by {', '.join(seen.caught_by)})"
        row = (seen.mutant.function, seen.mutant.description, why)
        table.add_row(*(Text(clean(text)) for text in row))
    return table


def _names(found: Audit) -> Iterable[RenderableType]:
    caught = [seen for seen in found.mutants if seen.caught]
    given = Counter(name for seen in caught for name in seen.names)
    given["no name"] = sum(not seen.names for seen in caught)
    said = ", ".join(f"{name} {number}" for name, number in given.most_common() if number)
    if said:
        yield from _titled("Names given to the mutants that were caught", Text(said))


def _problems(found: Audit) -> Iterable[RenderableType]:
    for heading in HEADINGS:
        chosen = [problem for problem in found.problems if problem.heading == heading]
        if not chosen:
            continue
        yield Text()
        yield Text(f"{heading}: {len(chosen)}", style="bold red")
        for problem in chosen:
            where = f"{problem.name}, {problem.exercise}" if problem.exercise else problem.name
            text = clean(problem.text)
            short = text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
            yield Text(f"  {clean(where)}")
            yield Padding(Text(short, style="dim"), (0, 0, 0, 6))


def _verdict(found: Audit) -> Text:
    real = [seen for seen in found.mutants if not seen.mutant.equivalent]
    caught = sum(seen.caught for seen in real)
    lines = [f"{caught} of {len(real)} mutants caught, {len(found.mutants) - len(real)} equivalent"]
    if found.due:
        share = found.named / found.due
        lines.append(
            f"{found.named} of {found.due} names right ({share:.1%}, at least {NAMED_AT_LEAST:.0%})"
        )
    grave = sum(problem.heading != NO_NAME for problem in found.problems)
    if found.passed:
        lines.append("Nothing gets through.")
    elif grave:
        lines.append(f"{grave} {'problem' if grave == 1 else 'problems'} above.")
    else:
        lines.append("Too many names are missing.")
    return Text("\n".join(lines), style="green" if found.passed else "red")
