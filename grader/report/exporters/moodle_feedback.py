"""Moodle: a zip of feedback files, one folder a student.

`Full name_<id>_assignfeedback_file_/<file>`: Moodle splits the folder's name at `_`, so the name
holds none, and it goes by the id.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

import msgspec
from msgspec import structs

from grader.misconceptions.catalogue import Misconception
from grader.report.exporters.lines import seen
from grader.report.exporters.matching import match, people_of
from grader.report.exporters.moodle_worksheet import participants
from grader.report.exporters.records import Exported, Format, Mark, Part, Request
from grader.report.exporters.sheet import read_sheet
from grader.report.model import Report
from grader.report.terminal import render

_UNFIT = re.compile(r"""[_<>:"/\\|?*'&\x00-\x1f\x7f]+""")


def _write(request: Request) -> Exported:
    parts: list[Part] = []
    unmatched: list[str] = []
    said: list[str] = []
    for mark in request.marks:
        if mark.document is None:
            said.append(f"{mark.shown}: not graded yet, so no page is written")
            continue
        folders = _folders(request, mark)
        if not folders:
            unmatched.append(f"{mark.shown}: no participant number of Moodle's is known")
        for folder in folders:
            parts += [(f"{folder}/{name}", data) for name, data in _pages(request, mark)]
        page = request.pages(mark.id)
        if page is not None and not may_be_seen(page, mark):
            said.append(f"{mark.shown}: its HTML page says what students must not see; left out")
    return Exported(tuple(parts), tuple(unmatched), tuple(said))


def text_page(mark: Mark, catalogue: Mapping[str, Misconception]) -> str:
    """The student's page as plain text. The mark has a document."""
    report = msgspec.convert(seen(mark, catalogue).document["grade"], Report)
    if mark.score is not None and mark.max_score is not None and report.status == "graded":
        scores = {one.name: one for one in mark.exercises}
        entries = tuple(
            structs.replace(e, score=scores[e.name].score, max_score=scores[e.name].max_score)
            if e.name in scores
            else e
            for e in report.exercises
        )
        report = structs.replace(
            report, score=mark.score, max_score=mark.max_score, exercises=entries
        )
    return render(report, hints=3, width=100, color=False)


def _pages(request: Request, mark: Mark) -> list[Part]:
    found: list[Part] = [("feedback.txt", text_page(mark, request.catalogue).encode())]
    page = request.pages(mark.id)
    if page is not None and may_be_seen(page, mark):
        found.append(("feedback.html", page))
    return found


def may_be_seen(page: bytes, mark: Mark) -> bool:
    """No title or name of a hidden check stands in it: staff's page is never handed out."""
    assert mark.document is not None
    text = html.unescape(page.decode(errors="replace"))
    secrets = [
        secret
        for test in mark.document["tests"]
        if test["metadata"]["visibility"] == "hidden"
        for secret in (test["metadata"]["title"], test["nodeid"])
    ]
    return not any(secret and secret in text for secret in secrets)


def _folders(request: Request, mark: Mark) -> list[str]:
    if request.sheet is not None:
        sheet = read_sheet(request.sheet, "worksheet")
        rows = participants(sheet)
        places = match(structs.replace(request, marks=(mark,)), rows, "worksheet").marks
        column = sheet.column("Full name")
        found = [(sheet.cell(place, column), rows[place].ids[0]) for place in places]
    elif request.layout == "moodle":
        found = [(person.name, person.id) for person in people_of(mark)]
    else:
        found = []
    return [f"{_clean(name)}_{number}_assignfeedback_file_" for name, number in found if number]


def _clean(name: str) -> str:
    clean = " ".join(_UNFIT.sub(" ", name).split()).strip(". ")
    return clean[:100] or "Participant"


FORMAT = Format("moodle-feedback", "Moodle: a zip of each student's page", "class", _write)
