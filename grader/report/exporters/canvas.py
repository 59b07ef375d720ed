"""Canvas: the exported gradebook with the assignment's column filled in.

Only the rows that get points and only that column are written: Canvas leaves out of an import what
is not in it, while a blank cell would clear a score. Canvas knows a column by its title or by
`Title (id)`, and makes a new assignment of any other; a student by ID, then SIS ids.
"""

from __future__ import annotations

import re

from grader.errors import UsageError
from grader.report.exporters.matching import Row, turned
from grader.report.exporters.numbers import read_number
from grader.report.exporters.records import Exported, Format, Request
from grader.report.exporters.refill import choose_column, fill, sheet_of
from grader.report.exporters.sheet import Sheet, safe

_WHAT = "gradebook"
_TITLE = re.compile(r"(?P<title>.*?)\s*\((?P<id>\d+)\)\s*", re.DOTALL)


def _write(request: Request) -> Exported:
    sheet = sheet_of(request, _WHAT, _WHAT)
    last = _last_information_column(sheet)
    titles = {place: _titles(cell) for place, cell in enumerate(sheet.header) if place > last}
    column = choose_column(request, titles, _WHAT)
    students = [i for i in range(len(sheet.rows)) if sheet.cell(i, 1)]
    heads = [i for i in range(len(sheet.rows)) if not sheet.cell(i, 1)]
    maximum = None
    for row in heads:
        if "read only" in sheet.cell(row, column).lower():
            raise UsageError(f"Canvas computes the column {sheet.header[column]!r} itself")
        maximum = maximum or read_number(sheet.cell(row, column))
    filled = fill(request, [_row(sheet, i, request.layout) for i in students], _WHAT, maximum)
    excused = [i for i in filled.values if sheet.cell(i, column).upper() == "EX"]
    said = [f"{filled.marks[i].shown}: excused in Canvas, left so" for i in excused]
    rows = [_kept(sheet.header, last, sheet.header[column], names=False)]
    rows += [_kept(sheet.rows[i], last, sheet.cell(i, column), names=False) for i in heads]
    rows += [
        _kept(sheet.rows[i], last, value) for i, value in filled.values.items() if i not in excused
    ]
    data = sheet.written(rows)
    return Exported((("canvas.csv", data),), filled.unmatched, filled.said + tuple(said))


def _last_information_column(sheet: Sheet) -> int:
    header = [cell.strip().lower() for cell in sheet.header]
    if len(header) < 3 or "student" not in header[0] or "id" not in header[1]:
        raise UsageError(
            "this is no gradebook of Canvas: it begins with Student and ID",
            "Export it in Canvas under Grades, and give it as it is.",
        )
    for place, cell in enumerate(header[2:], 2):
        if "section" in cell:
            return place
    raise UsageError("this gradebook has no column Section, without which Canvas refuses it")


def _titles(cell: str) -> tuple[str, ...]:
    found = _TITLE.fullmatch(cell)
    return (cell, found["title"], found["id"]) if found else (cell,)


def _row(sheet: Sheet, place: int, layout: str) -> Row:
    canvas = (sheet.cell(place, 1),)
    sis = tuple(sheet.cell(place, sheet.column(name)) for name in ("SIS User ID", "SIS Login ID"))
    # Canvas' own number means something to who came from Canvas alone.
    ids = canvas + sis if layout == "canvas" else sis + canvas
    login = sis[1] if "@" in sis[1] else ""
    return Row(place, ids, login, turned(sheet.cell(place, 0)))


def _kept(cells: tuple[str, ...], last: int, value: str, names: bool = True) -> tuple[str, ...]:
    cells = cells + ("",) * (last + 1 - len(cells))
    if names:
        # The ID alone tells Canvas who it is.
        cells = tuple(cell if place == 1 else safe(cell) for place, cell in enumerate(cells))
    return (*cells[: last + 1], value)


FORMAT = Format("canvas", "Canvas: the gradebook, filled in", "class", _write, sheet=_WHAT)
