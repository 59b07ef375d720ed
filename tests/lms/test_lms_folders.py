"""An invented class of 30, from downloads that are folders of folders, to Canvas.

The importers here keep the rules that the LMS keeps, silent ones included: a student whom the
real one would skip or mix up is missing or wrong here too.
"""

from __future__ import annotations

import io
import json
import zipfile
from fractions import Fraction

from lms_class import (
    CLASS,
    SOURCE,
    exported,
    laid_out,
    points,
    roster,
    stored,
    taken_in,
)
from lms_sheets import (
    FORMS,
    canvas_gradebook,
    canvas_import,
    expect,
    rows_of,
)

from grader.classroom.intake import described
from grader.people import Roster


def gradescope_export():
    lines, files = [], {}
    for team in range(20):
        # Ten groups of two, ten alone.
        members = CLASS[2 * team : 2 * team + 2] if team < 10 else CLASS[10 + team : 11 + team]
        folder = f"submission_{210000 + team}"
        lines += [f"{folder}:", "  :submitters:"]
        for one in members:
            lines.append(f"  - :name: {json.dumps(one.name)}")
            lines.append(f"    :sid: '{one.sid}'")
            if one.number % 3:
                lines.append(f"    :email: {one.email}")
        lines += ["  :created_at: 2026-10-01 23:58:07.123456000 Z", "  :score: 0.0"]
        files[f"assignment_77_export/{folder}/src/hw1.py"] = SOURCE
    files["assignment_77_export/submission_metadata.yml"] = "\n".join(lines).encode()
    return files


@FORMS
def test_gradescope(tmp_path, form):
    with taken_in(laid_out(tmp_path, gradescope_export(), form)) as intake:
        assert (intake.layout, len(intake.entries), intake.left_over) == ("gradescope", 20, ())
        assert described(intake) == "read as a Gradescope export: 20 submissions, 10 of groups"
        sids = {student.sid: student for student in CLASS}
        assert {p.id for entry in intake.entries for p in entry.people} == set(sids)
        marks = stored(tmp_path, intake, lambda e: points(sids[e.people[0].id].number))
    data, made = exported("gradescope", marks, "out.zip")
    archive = zipfile.ZipFile(io.BytesIO(data))
    assert set(archive.namelist()) == {f"{mark.id}.json" for mark in marks}
    # And to another LMS: both members of each group, by ids that begin with zeros.
    data, made = exported("canvas", marks, sheet=canvas_gradebook(), layout="gradescope")
    assert made.unmatched == ()
    first = {number: number - number % 2 if number < 20 else number for number in range(30)}
    expect(canvas_import(data), of=lambda number: points(first[number]))


@FORMS
def test_github(tmp_path, form):
    files = {f"hw1-submissions/hw1-{s.login}/src/hw1.py": SOURCE for s in CLASS}
    known = roster(
        "identifier,github_username,github_id,name",
        [(s.sid, s.login.upper(), str(s.number), "") for s in CLASS],
    )
    with taken_in(laid_out(tmp_path, files, form), known=known) as intake:
        assert (intake.layout, len(intake.entries)) == ("github", 30)
        sids = {student.sid: student for student in CLASS}
        marks = stored(tmp_path, intake, lambda e: points(sids[e.people[0].id].number))
    data, made = exported("csv", marks)
    header, *rows = rows_of(data)
    cells = [dict(zip(header, row, strict=True)) for row in rows]
    expect({sids[row["id"]]: Fraction(row["score"]) for row in cells})
    data, made = exported("canvas", marks, sheet=canvas_gradebook())
    assert made.unmatched == ()
    expect(canvas_import(data))


@FORMS
def test_google(tmp_path, form):
    names = {s.name.replace("/", ""): s for s in CLASS}
    files = {}
    for name, student in names.items():
        copy = "Copy of " if student.number % 4 == 1 else ""
        files[f"{copy}{name} - hw1.py"] = b"old = 1\n" if student.number % 8 == 2 else SOURCE
        if student.number % 8 == 2:
            files[f"{name} - hw1 (1).py"] = SOURCE
    with taken_in(laid_out(tmp_path, files, form)) as intake:
        assert (intake.layout, len(intake.entries)) == ("google", 30)
        assert sum(len(entry.superseded) for entry in intake.entries) == 4
        marks = stored(tmp_path, intake, lambda e: points(names[e.people[0].name].number))
    data, made = exported("canvas", marks, sheet=canvas_gradebook())
    assert made.unmatched == ()
    expect(canvas_import(data))


def test_a_plain_folder_stays_the_fallback(tmp_path):
    files = {f"{s.login}.py": SOURCE for s in CLASS[:15]}
    files |= {f"{s.login}/hw1.py": SOURCE for s in CLASS[15:]}
    files["readme.txt"] = b"x"
    with taken_in(laid_out(tmp_path, files, "folder")) as intake:
        assert (intake.layout, len(intake.entries)) == ("folder", 30)
        assert [name for name, _ in intake.left_over] == ["readme.txt"]
        marks = stored(tmp_path, intake, lambda e: points(int(e.id[-2:])))
    data, made = exported("canvas", marks, sheet=canvas_gradebook(), roster=Roster())
    assert made.unmatched == ()
    expect(canvas_import(data))
