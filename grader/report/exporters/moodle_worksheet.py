"""Moodle: the offline grading worksheet, filled in.

Moodle skips in silence what is blank, negative, above the maximum or locked. Headers are in the
site's language, so where the English ones are not there the columns are known by what they hold.
"""

from __future__ import annotations

import html
import re

from grader.errors import UsageError
from grader.report.exporters.lines import short
from grader.report.exporters.matching import Row, turned
from grader.report.exporters.numbers import read_number
from grader.report.exporters.records import Exported, Format, Request
from grader.report.exporters.refill import fill, sheet_of
from grader.report.exporters.sheet import Sheet, safe

_WHAT = "worksheet"
_PARTICIPANT = re.compile(r"\D*(\d+)")


def _write(request: Request) -> Exported:
    sheet = sheet_of(request, _WHAT, _WHAT)
    grade, maximum = columns(sheet, request.settings.get("column", ""))
    comments = sheet.column("Feedback comments")
    name, changeable = sheet.column("Full name"), sheet.column("Grade can be changed")
    filled = fill(request, participants(sheet), _WHAT, maximum)
    locked = [i for i in filled.values if sheet.cell(i, changeable).casefold() == "no"]
    said = [f"{filled.marks[i].shown}: locked in Moodle, which would skip it" for i in locked]
    if comments is None:
        said.append("the worksheet has no column for comments, so none are written")
    rows: list[tuple[str, ...]] = [sheet.header]
    for place, cells in enumerate(sheet.rows):
        row = list(cells) + [""] * (len(sheet.header) - len(cells))
        if name is not None:
            row[name] = safe(row[name])
        if place in filled.values and place not in locked:
            row[grade] = filled.values[place]
            if comments is not None:
                text = html.escape(short(filled.marks[place], request.catalogue), quote=False)
                row[comments] = safe(text.replace("\n", "<br>"))
        rows.append(tuple(row))
    unmatched = filled.unmatched + tuple(said[: len(locked)])
    rest = filled.said + tuple(said[len(locked) :])
    return Exported((("worksheet.csv", sheet.written(rows)),), unmatched, rest)


def columns(sheet: Sheet, asked: str) -> tuple[int, float]:
    """(the column of grades, the maximum). Raises UsageError where they cannot be told."""
    grade = sheet.column(asked) if asked else sheet.column("Grade")
    if asked and grade is None:
        raise UsageError(f"no column of the worksheet is called {asked!r}")
    most = sheet.column("Maximum Grade")
    for place in range(2, len(sheet.header)) if most is None else (most,):
        found = {read_number(sheet.cell(row, place)) for row in range(len(sheet.rows))}
        if len(found) == 1 and None not in found and (value := found.pop()) and value > 0:
            return (place - 1 if grade is None else grade), value
    if most is not None and grade is not None:
        raise UsageError(
            "the worksheet's maximum is no number: this assignment is graded on a scale",
            "Set it to points in Moodle, and download the worksheet again.",
        )
    raise UsageError(
        "this is no grading worksheet of Moodle: it has no column of grades and their maximum",
        "Download it under View all submissions, Download grading worksheet.",
    )


def participants(sheet: Sheet) -> list[Row]:
    """Who stands in each row. The first column says "Participant 123", in any language."""
    email, name = sheet.column("Email address"), sheet.column("Full name")
    number = sheet.column("ID number")
    if name is None and email is None and len(sheet.header) > 1:
        name = 1  # a blind worksheet has no names, and Status there does no harm
    rows = []
    for place in range(len(sheet.rows)):
        found = _PARTICIPANT.fullmatch(sheet.cell(place, 0))
        ids = (found[1] if found else "", sheet.cell(place, number))
        rows.append(Row(place, ids, sheet.cell(place, email), turned(sheet.cell(place, name))))
    return rows


FORMAT = Format("moodle", "Moodle: the grading worksheet, filled in", "class", _write, sheet=_WHAT)
