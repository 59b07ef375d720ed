"""Filling the points into a sheet that the LMS gave: which column, whose row, on which scale."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

import msgspec

from grader.errors import UsageError
from grader.people import folded
from grader.report.exporters.matching import Row, match
from grader.report.exporters.numbers import checked, scaled, written
from grader.report.exporters.records import Mark, Request
from grader.report.exporters.sheet import Sheet, read_sheet


class Filled(msgspec.Struct, frozen=True):
    """What each row gets, as it is written; whom nobody knows; what has to be said."""

    values: dict[int, str]
    marks: dict[int, Mark]
    unmatched: tuple[str, ...]
    said: tuple[str, ...]


def sheet_of(request: Request, option: str, what: str) -> Sheet:
    """The sheet to fill in. Raises UsageError without one, or where it cannot be read."""
    if request.sheet is None:
        raise UsageError(
            f"this format fills in the {what} that the LMS gives", f"Give it with --{option} FILE."
        )
    return read_sheet(request.sheet, what)


def choose_column(request: Request, titles: Mapping[int, Sequence[str]], what: str) -> int:
    """The one column that is called as --column says, else as the assignment.

    `titles` are all that a column may be called, by its place. Raises UsageError for none or
    several: a column that the LMS does not know would become a new assignment.
    """
    asked = request.settings.get("column", "")
    wanted = [asked] if asked else [request.title, request.name]
    for name in wanted:
        found = [p for p, known in titles.items() if folded(name) in map(folded, known) and name]
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageError(
                f"{len(found)} columns of the {what} are called {name!r}", "Say which: --column ID."
            )
    known = [names[0] for names in titles.values() if names]
    near = difflib.get_close_matches(wanted[0], known, n=1)
    few = ", ".join(repr(name) for name in (near or known[:5])) or "none"
    raise UsageError(
        f"no column of the {what} is called {wanted[0]!r}", f"Name it with --column; it has {few}."
    )


def fill(request: Request, rows: Sequence[Row], what: str, maximum: float | None = None) -> Filled:
    """Points for each matched row, on the scale of `maximum` where that is known and not 0.

    A mark without a verdict leaves its row as it is. Raises UsageError for points that cannot be.
    """
    matched = match(request, rows, what)
    values: dict[int, str] = {}
    marks: dict[int, Mark] = {}
    said: list[str] = []
    scales: dict[tuple[float, float], int] = {}
    for place, mark in sorted(matched.marks.items()):
        if mark.score is None or mark.max_score is None:
            said.append(f"{mark.shown}: {_why(mark)}, so nothing is filled in")
            continue
        if not mark.complete:
            said.append(f"{mark.shown}: public checks alone decided")
        score, most = checked(mark.score, mark.max_score, mark.id)
        if maximum and most != maximum:
            scales[most, maximum] = scales.get((most, maximum), 0) + 1
            score = scaled(score, most, maximum, mark.id)
        values[place] = written(score)
        marks[place] = mark
    said += [
        f"{count} scaled from {written(most)} points to the {written(target)} of the column"
        for (most, target), count in scales.items()
    ]
    unmatched = matched.unmatched + tuple(
        f"{mark.shown}: not graded yet" for mark in request.marks if mark.status == "missing"
    )
    return Filled(values, marks, unmatched, tuple(said))


def _why(mark: Mark) -> str:
    return {"unreadable": "could not be read", "grader_failed": "the grader failed"}.get(
        mark.status, "not graded yet"
    )
