"""Brightspace: the exported grades with the item's column filled in.

Users go by `OrgDefinedId` and `Username`, which exports begin with `#`; the last column is
`End-of-Line Indicator`, and each line ends in `#`.
"""

from __future__ import annotations

import re

from grader.errors import UsageError
from grader.report.exporters.matching import Row, full_names
from grader.report.exporters.numbers import read_number
from grader.report.exporters.records import Exported, Format, Request
from grader.report.exporters.refill import choose_column, fill, sheet_of

_WHAT = "gradebook"
_END = "End-of-Line Indicator"
_ITEM = re.compile(
    r"(?P<title>.+?) Points Grade(?: <(?:.*?MaxPoints:(?P<most>[\d.,]+))?.*>)?\s*", re.DOTALL
)


def _write(request: Request) -> Exported:
    sheet = sheet_of(request, _WHAT, _WHAT)
    keys = [p for p in (sheet.column("OrgDefinedId"), sheet.column("Username")) if p is not None]
    if not keys:
        raise UsageError("these grades have neither OrgDefinedId nor Username")
    titles = {
        place: (cell, found["title"])
        for place, cell in enumerate(sheet.header)
        if (found := _ITEM.fullmatch(cell))
    }
    column = choose_column(request, titles, _WHAT)
    item = _ITEM.fullmatch(sheet.header[column])
    assert item is not None
    first, last = sheet.column("First Name"), sheet.column("Last Name")
    email = sheet.column("Email")
    rows = [
        Row(
            place,
            tuple(sheet.cell(place, key) for key in keys),
            sheet.cell(place, email),
            full_names(sheet.cell(place, first), sheet.cell(place, last)),
        )
        for place in range(len(sheet.rows))
    ]
    filled = fill(request, rows, _WHAT, read_number(item["most"] or ""))
    out = [(*(sheet.header[key] for key in keys), sheet.header[column], _END)]
    out += [
        (*(_marked(sheet.cell(row, key)) for key in keys), value, "#")
        for row, value in filled.values.items()
    ]
    return Exported((("brightspace.csv", sheet.written(out)),), filled.unmatched, filled.said)


def _marked(identity: str) -> str:
    """With the sign that keeps a spreadsheet from making a number, or a formula, of it."""
    return identity if identity.startswith("#") or not identity else f"#{identity}"


FORMAT = Format("brightspace", "Brightspace: the grades, filled in", "class", _write, sheet=_WHAT)
