"""An invented class of 30, to Moodle and back.

The importers here keep the rules that the LMS keeps, silent ones included: a student whom the
real one would skip or mix up is missing or wrong here too.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from fractions import Fraction

import pytest
from lms_class import (
    CLASS,
    SOURCE,
    exported,
    laid_out,
    points,
    stored,
    taken_in,
)
from lms_sheets import (
    FORMS,
    expect,
    rows_of,
)

from grader.people import read_roster


def moodle_name(student):
    return re.sub(r'[<>:"/\\|?*]', "", student.name.replace("_", " "))


def moodle_download(shape):
    files = {}
    for student in CLASS:
        name = "Participant" if shape == "blind" else moodle_name(student)
        start = f"{name}_{student.moodle}_assignsubmission"
        if shape == "flat":
            files[f"{start}_file_hw1.py"] = SOURCE
            files[f"{start}_file_notes_of_mine.txt"] = b"x"
        elif shape == "old":
            files[f"{start}_file_/hw1.py"] = SOURCE
        else:
            files[f"{start}_file/sub/hw1.py"] = SOURCE
        if student.number == 5:
            files[f"{start}_onlinetext/onlinetext.html"] = b"<p>x</p>"
    return files


ENGLISH = (
    "Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade",
    "Grade can be changed", "Last modified (submission)", "Last modified (grade)",
    "Feedback comments",
)  # fmt: skip
OTHER = (
    "Identifikator", "Vollständiger Name", "E-Mail-Adresse", "Status", "Bewertung",
    "Höchstbewertung", "Bewertung kann geändert werden", "Zuletzt geändert (Abgabe)",
    "Zuletzt geändert (Bewertung)", "Feedback als Kommentar",
)  # fmt: skip


def moodle_worksheet(header=ENGLISH, blind=False, word="Participant", most="10.00"):
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    hidden = ("Full name", "Email address") if blind else ()
    kept = [place for place, name in enumerate(header) if name not in hidden]
    writer.writerow([header[place] for place in kept])
    for student in reversed(CLASS):
        status = "Submitted for grading - 2 hours late" if student.late else "Submitted"
        row = [
            f"{word} {student.moodle}", student.name, student.email, status, "", most, "Yes",
            "Thursday, 1 October 2026, 11:58 PM", "-", "",
        ]  # fmt: skip
        writer.writerow([row[place] for place in kept])
    return out.getvalue().encode("utf-8-sig")


def moodle_import(data, grade="Grade", maximum="Maximum Grade"):
    header, *rows = rows_of(data)
    by_id = {student.moodle: student for student in CLASS}
    found = {}
    for row in rows:
        assert len(row) == len(header)
        cells = dict(zip(header, row, strict=True))
        value, most = cells[grade].replace(",", "."), float(cells[maximum].replace(",", "."))
        # Skipped in silence: blank, negative, above the maximum, locked.
        if value and 0 <= float(value) <= most and cells.get("Grade can be changed") != "No":
            found[by_id[re.search(r"\d+", row[0])[0]]] = Fraction(value)
    return found


@FORMS
@pytest.mark.parametrize("shape", ["folders", "old", "flat", "blind"])
def test_moodle(tmp_path, form, shape):
    source = laid_out(tmp_path, moodle_download(shape), form)
    with taken_in(source) as intake:
        assert (intake.layout, len(intake.entries)) == ("moodle", 30)
        assert [why for _, why in intake.left_over] == ["text typed into Moodle, no file"]
        marks = stored(tmp_path, intake, lambda e: points(int(e.people[0].id) - 9900))
        if shape != "blind":
            assert {e.people[0].name for e in intake.entries} == set(map(moodle_name, CLASS))
    blind = shape == "blind"
    sheet = moodle_worksheet(blind=blind)
    data, made = exported("moodle", marks, sheet=sheet, layout="moodle")
    assert made.unmatched == ()
    expect(moodle_import(data))
    before, after = rows_of(sheet), rows_of(data)
    kept = before[0].index("Last modified (grade)")
    assert [row[kept] for row in before] == [row[kept] for row in after]
    feedback, made = exported("moodle-feedback", marks, "out.zip", layout="moodle")
    assert made.unmatched == ()
    found = {}
    for name in zipfile.ZipFile(io.BytesIO(feedback)).namelist():
        folder, file = name.split("/")
        _, number, plugin, kind, rest = folder.split("_", 4)
        assert (plugin, kind, rest, file) == ("assignfeedback", "file", "", "feedback.txt")
        found[number] = 1
    assert set(found) == {student.moodle for student in CLASS}


def test_moodle_in_another_language(tmp_path):
    with taken_in(laid_out(tmp_path, moodle_download("flat"), "folder")) as intake:
        marks = stored(tmp_path, intake, lambda e: points(int(e.people[0].id) - 9900))
    sheet = moodle_worksheet(OTHER, word="Teilnehmer/in", most="10,00")
    data, made = exported("moodle", marks, sheet=sheet, layout="moodle")
    assert made.unmatched == ()
    assert made.said == ("the worksheet has no column for comments, so none are written",)
    expect(moodle_import(data, "Bewertung", "Höchstbewertung"))


def test_moodle_late_marks_come_from_its_worksheet(tmp_path):
    sheet = tmp_path / "worksheet.csv"
    sheet.write_bytes(moodle_worksheet())
    source = laid_out(tmp_path, moodle_download("folders"), "zip")
    with taken_in(source, known=read_roster(sheet)) as intake:
        assert sum(entry.late for entry in intake.entries) == 3
        assert all(entry.people[0].email for entry in intake.entries)


def test_moodle_gradebook_knows_everybody_in_it(tmp_path):
    with taken_in(laid_out(tmp_path, moodle_download("folders"), "folder")) as intake:
        marks = stored(tmp_path, intake, lambda e: points(int(e.people[0].id) - 9900))
    data, made = exported("moodle-gradebook", marks, sheet=moodle_worksheet(), layout="moodle")
    assert made.unmatched == ()
    header, *rows = rows_of(data)
    assert header[0] == "Email address"
    by_email = {student.email: student for student in CLASS}
    expect({by_email[row[0]]: Fraction(row[1]) for row in rows})
    # Without the worksheet nobody's address is known, and a guess would end the whole import.
    data, made = exported("moodle-gradebook", marks, layout="moodle")
    assert len(made.unmatched) == 30
    assert len(rows_of(data)) == 1
