"""An invented class of 30, to Canvas and back.

The importers here keep the rules that the LMS keeps, silent ones included: a student whom the
real one would skip or mix up is missing or wrong here too.
"""

from __future__ import annotations

import jsonschema
from lms_class import (
    CLASS,
    MOST,
    SOURCE,
    document,
    exported,
    laid_out,
    points,
    roster,
    stored,
    taken_in,
)
from lms_sheets import (
    FORMS,
    canvas_download,
    canvas_gradebook,
    canvas_import,
    expect,
)

from grader.classroom.intake import described
from grader.report.schema import report_schema


@FORMS
def test_canvas(tmp_path, form):
    source = laid_out(tmp_path, canvas_download(), form)
    with taken_in(source) as intake:
        assert intake.layout == "canvas"
        assert described(intake) == (
            "read as a Canvas download: 30 submissions, 3 late, 4 earlier attempts left aside, "
            "2 other names"
        )
        marks = stored(tmp_path, intake, lambda e: points(int(e.people[0].id) - 4200))
        newest = [e for e in intake.entries if e.superseded]
        assert all(e.path.joinpath("hw1-1.py").read_bytes() == SOURCE for e in newest)
        assert sum(mark.late for mark in marks) == 3
    data, made = exported("canvas", marks, sheet=canvas_gradebook(), layout="canvas")
    assert made.unmatched == ()
    expect(canvas_import(data))


def test_canvas_scales_to_the_column_and_says_so(tmp_path):
    with taken_in(laid_out(tmp_path, canvas_download(), "folder")) as intake:
        marks = stored(tmp_path, intake, lambda e: points(int(e.people[0].id) - 4200))
    sheet = canvas_gradebook(most="100")
    data, made = exported("canvas", marks, sheet=sheet, layout="canvas")
    assert made.said == ("30 scaled from 10 points to the 100 of the column",)
    expect(canvas_import(data), scale=10)


@FORMS
def test_canvas_anonymous(tmp_path, form):
    files = {}
    for student in CLASS:
        late = "LATE_" if student.late else ""
        files[f"{late}anon_aB{student.number}x_{88000 + student.number}_hw1.py"] = SOURCE
    known = roster(
        "anonymous_id,id,name",
        [(f"aB{student.number}x", student.canvas, "") for student in CLASS],
    )
    with taken_in(laid_out(tmp_path, files, form), known=known) as intake:
        assert (intake.layout, len(intake.entries)) == ("canvas", 30)
        marks = stored(tmp_path, intake, lambda e: points(int(e.people[0].id) - 4200))
        assert sum(mark.late for mark in marks) == 3
    data, made = exported("canvas", marks, sheet=canvas_gradebook(), layout="canvas")
    assert made.unmatched == ()
    expect(canvas_import(data))


def test_canvas_anonymous_without_a_roster_gives_nobody_points(tmp_path):
    files = {f"anon_aB{s.number}x_{88000 + s.number}_hw1.py": SOURCE for s in CLASS}
    with taken_in(laid_out(tmp_path, files, "folder")) as intake:
        marks = stored(tmp_path, intake, lambda _: 1)
    data, made = exported("canvas", marks, sheet=canvas_gradebook(), layout="canvas")
    assert len(made.unmatched) == 30
    assert canvas_import(data) == {}


def test_the_made_up_documents_are_ones_of_ours():
    for score in (0, 3, float(MOST)):
        jsonschema.validate(document("x", score), report_schema())
    jsonschema.validate(document("x", 0, status="unreadable"), report_schema())
