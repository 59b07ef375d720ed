"""Blackboard: the exported column of the grade centre, filled in.

The header goes back exactly as it came (`HW1 [Total Pts: 100 Score] |1702852`): any other becomes a
new column of text worth nothing. Every cell is quoted. Users go by `Username`.
"""

from __future__ import annotations

import re

from grader.errors import UsageError
from grader.report.exporters.matching import Row, full_names
from grader.report.exporters.numbers import read_number
from grader.report.exporters.records import Exported, Format, Request
from grader.report.exporters.refill import choose_column, fill, sheet_of
from grader.report.exporters.sheet import safe

_WHAT = "gradebook"
_HEADER = re.compile(
    r"(?P<title>.*?)\s*\[Total Pts:\s*(?P<most>[\d.,]+)[^\]]*\]\s*\|\s*(?P<id>\d+)\s*", re.DOTALL
)


def _write(request: Request) -> Exported:
    sheet = sheet_of(request, _WHAT, _WHAT)
    user = sheet.column("Username")
    if user is None:
        raise UsageError("this gradebook has no column Username, by which Blackboard knows users")
    titles = {
        place: (cell, found["title"], found["id"])
        for place, cell in enumerate(sheet.header)
        if (found := _HEADER.fullmatch(cell))
    }
    column = choose_column(request, titles, _WHAT)
    header = _HEADER.fullmatch(sheet.header[column])
    assert header is not None
    first, last = sheet.column("First Name"), sheet.column("Last Name")
    number = sheet.column("Student ID")
    rows = [
        Row(
            place,
            (sheet.cell(place, user), sheet.cell(place, number)),
            names=full_names(sheet.cell(place, first), sheet.cell(place, last)),
        )
        for place in range(len(sheet.rows))
    ]
    filled = fill(request, rows, _WHAT, read_number(header["most"]))
    kept = [place for place in (last, first) if place is not None]
    out = [(*(sheet.header[place] for place in kept), sheet.header[user], sheet.header[column])]
    out += [
        (*(safe(sheet.cell(row, place)) for place in kept), sheet.cell(row, user), value)
        for row, value in filled.values.items()
    ]
    data = sheet.written(out, quote_all=True)
    return Exported((("blackboard.csv", data),), filled.unmatched, filled.said)


FORMAT = Format("blackboard", "Blackboard: the gradebook, filled in", "class", _write, sheet=_WHAT)
