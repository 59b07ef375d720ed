"""For each LMS: an invented class of 30 goes in as downloaded, and its points come back.

The importers here keep the rules that the LMS keeps, silent ones included: a student whom the
real one would skip or mix up is missing or wrong here too.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from fractions import Fraction

import pytest
from lms_class import (
    CLASS,
    MOST,
    SOURCE,
    TITLE,
    document,
    exported,
    laid_out,
    points,
    roster,
    stored,
    taken_in,
)

from grader.classroom.intake import described
from grader.people import Roster

FORMS = pytest.mark.parametrize("form", ["folder", "zip"])


def rows_of(data, encoding="utf-8-sig", **dialect):
    return list(csv.reader(io.StringIO(data.decode(encoding), newline=""), **dialect))


def expect(found, students=CLASS, scale=1, of=points):
    assert {key: round(float(value), 5) for key, value in found.items()} == {
        student: round(float(of(student.number) * scale), 5) for student in students
    }


def number_in(pattern):
    return lambda entry: points(int(re.search(pattern, entry.people[0].id)[1]))


# Canvas


def squashed(student):
    return re.sub(r"[^A-Za-z0-9_]", "", f"{student.last}{student.first}").lower()


def canvas_download():
    files = {}
    for student in CLASS:
        late = "_LATE" if student.late else ""
        start = f"{squashed(student)}{late}_{student.canvas}"
        again = "-1" if student.number % 7 == 2 else ""
        files[f"{start}_{88000 + student.number}_hw1{again}.py"] = SOURCE
        if student.number % 7 == 4:
            files[f"{start}_{87000 + student.number}_hw1.py"] = b"old = 1\n"
            files.pop(f"{start}_{88000 + student.number}_hw1.py")
            files[f"{start}_{88000 + student.number}_hw1-1.py"] = SOURCE
    files[f"{squashed(CLASS[0])}_{CLASS[0].canvas}_text.html"] = b"<p>hello</p>"
    files["notes of the teacher.docx"] = b"x"
    return files


def canvas_gradebook(column=f"{TITLE} (777)", most="10"):
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Other (5)", column, "Total"]
    )
    writer.writerow(["", "", "", "", "", "Manual Posting", "", "(read only)"])
    writer.writerow(["    Points Possible", "", "", "", "", "3", most, "(read only)"])
    for student in CLASS:
        row = [student.sortable, student.canvas, student.sid, student.login, "A, one", "2", "", "9"]
        writer.writerow(row)
    writer.writerow(["Student, Test", "1", "", "aaa", "A, one", "", "", ""])
    return out.getvalue().encode("utf-8-sig")


def canvas_import(data, column=f"{TITLE} (777)"):
    header, *rows = rows_of(data)
    assert "Student" in header[0]
    assert "ID" in header[1]
    assert any("Section" in cell for cell in header)
    assert header[-1] == column, "any other title makes a new assignment"
    by_id = {student.canvas: student for student in CLASS}
    found = {}
    for row in rows:
        if row[1]:
            assert row[-1] != "", "a blank clears the score that was there"
            found[by_id[row[1]]] = Fraction(row[-1])
        else:
            assert "Points Possible" in row[0] or not row[0]
    return found


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


# Moodle


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
    from grader.people import read_roster

    source = laid_out(tmp_path, moodle_download("folders"), "zip")
    with taken_in(source, known=read_roster(sheet)) as intake:
        assert sum(entry.late for entry in intake.entries) == 3
        assert all(entry.people[0].email for entry in intake.entries)


def test_moodle_gradebook_knows_everybody_in_it(tmp_path):
    with taken_in(laid_out(tmp_path, moodle_download("folders"), "folder")) as intake:
        marks = stored(tmp_path, intake, lambda e: points(int(e.people[0].id) - 9900))
    data, made = exported(
        "moodle-gradebook", marks, sheet=moodle_worksheet(), layout="moodle"
    )
    assert made.unmatched == ()
    header, *rows = rows_of(data)
    assert header[0] == "Email address"
    by_email = {student.email: student for student in CLASS}
    expect({by_email[row[0]]: Fraction(row[1]) for row in rows})
    # Without the worksheet nobody's address is known, and a guess would end the whole import.
    data, made = exported("moodle-gradebook", marks, layout="moodle")
    assert len(made.unmatched) == 30
    assert len(rows_of(data)) == 1


# Blackboard


def blackboard_download():
    files = {}
    for student in CLASS:
        start = f"Home_work 1_{student.login}_attempt_2026-10-01-23-5{student.number % 10}-07"
        files[f"{start}_hw1.py"] = SOURCE
        files[f"{start}_my_notes.txt"] = b"x"
        receipt = f"Name: {student.name} ({student.login})\nAssignment: Home_work 1\n"
        files[f"{start}.txt"] = receipt.encode()
        if student.number % 6 == 1:
            old = f"Home_work 1_{student.login}_attempt_2026-09-30-01-02-03"
            files[f"{old}_hw1.py"] = b"old = 1\n"
            files[f"{old}.txt"] = receipt.encode()
    return files


BLACKBOARD = f"{TITLE} [Total Pts: 100 Score] |1702852"


def blackboard_gradebook(encoding, delimiter):
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    other = "Other [Total Pts: 3 Score] |1702851"
    writer.writerow(["Last Name", "First Name", "Username", "Student ID", other, BLACKBOARD])
    for student in CLASS:
        writer.writerow([student.last, student.first, student.login, student.sid, "1", ""])
    return out.getvalue().encode(encoding)


@FORMS
@pytest.mark.parametrize(("encoding", "delimiter"), [("utf-8-sig", ","), ("utf-16", "\t")])
def test_blackboard(tmp_path, form, encoding, delimiter):
    with taken_in(laid_out(tmp_path, blackboard_download(), form)) as intake:
        assert (intake.layout, len(intake.entries)) == ("blackboard", 30)
        assert sum(len(entry.superseded) for entry in intake.entries) == 5
        receipts = [name for name, why in intake.left_over if why == "Blackboard's receipt"]
        assert len(receipts) == len(intake.left_over) == 35
        for entry in intake.entries:
            assert (entry.path / "hw1.py").read_bytes() == SOURCE
        marks = stored(tmp_path, intake, number_in(r"made_up(\d+)"))
    sheet = blackboard_gradebook(encoding, delimiter)
    data, made = exported("blackboard", marks, sheet=sheet)
    assert made.unmatched == ()
    header, *rows = rows_of(data, encoding, delimiter=delimiter)
    assert header[-1] == BLACKBOARD, "any other header makes a new column of text"
    user = header.index("Username")
    by_login = {student.login: student for student in CLASS}
    expect({by_login[row[user]]: Fraction(row[-1]) for row in rows}, scale=10)
    text = data.decode(encoding)
    assert text.count('"') >= 2 * sum(map(len, rows)), "every cell is quoted"


def test_blackboard_groups_by_a_roster(tmp_path):
    files = {
        f"HW1_Team {team}_attempt_2026-10-01-23-58-07_hw1.py": SOURCE for team in range(10)
    }
    known = roster(
        "username,name,group", [(s.login, "", f"Team {s.number // 3}") for s in CLASS]
    )
    with taken_in(laid_out(tmp_path, files, "zip"), known=known) as intake:
        assert [len(entry.people) for entry in intake.entries] == [3] * 10
        marks = stored(tmp_path, intake, lambda e: points(int(e.id[-1])))
    sheet = blackboard_gradebook("utf-8-sig", ",")
    data, made = exported("blackboard", marks, sheet=sheet)
    assert made.unmatched == ()
    header, *rows = rows_of(data)
    by_login = {student.login: student for student in CLASS}
    found = {by_login[row[header.index("Username")]]: Fraction(row[-1]) for row in rows}
    expect(found, scale=10, of=lambda number: points(number // 3))


# Brightspace


def brightspace_name(student):
    return re.sub(r'[/\\:*?"<>|]', "", student.name)


def brightspace_download(flat):
    files = {"index.html": b"<p>contents</p>"}
    for student in CLASS:
        start = f"{100000 + student.number}-618463 - {brightspace_name(student)} - "
        end = " - hw1.py" if flat else "/hw1.py"
        files[f"{start}Oct 1, 2026 1158 PM{end}"] = SOURCE
        if student.number % 5 == 0:
            files[f"{start}Oct 1, 2026 905 AM{end}"] = b"old = 1\n"
    return files


def brightspace_grades():
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    item = f"{TITLE} Points Grade <Numeric MaxPoints:10 Weight:5>"
    writer.writerow(
        ["OrgDefinedId", "Username", "Last Name", "First Name", item, "End-of-Line Indicator"]
    )
    for student in CLASS:
        first, last = (re.sub(r'[/\\:*?"<>|]', "", n) for n in (student.first, student.last))
        writer.writerow([f"#{student.sid}", f"#{student.login}", last, first, "", "#"])
    return out.getvalue().encode()


@FORMS
@pytest.mark.parametrize("flat", [True, False])
def test_brightspace(tmp_path, form, flat):
    numbers = {brightspace_name(student): student.number for student in CLASS}
    with taken_in(laid_out(tmp_path, brightspace_download(flat), form)) as intake:
        assert (intake.layout, len(intake.entries)) == ("brightspace", 30)
        assert intake.left_over == (("index.html", "Brightspace's own table of contents"),)
        assert sum(len(entry.superseded) for entry in intake.entries) == 6
        for entry in intake.entries:
            assert (entry.path / "hw1.py").read_bytes() == SOURCE
        marks = stored(tmp_path, intake, lambda e: points(numbers[e.people[0].name]))
    data, made = exported("brightspace", marks, sheet=brightspace_grades())
    assert made.unmatched == ()
    header, *rows = rows_of(data)
    assert header[-1] == "End-of-Line Indicator"
    assert header[-2].startswith(f"{TITLE} Points Grade")
    assert all(row[-1] == "#" for row in rows)
    by_id = {f"#{student.sid}": student for student in CLASS}
    expect({by_id[row[0]]: Fraction(row[-2]) for row in rows})


# Gradescope


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
    assert {name for name in archive.namelist()} == {f"{mark.id}.json" for mark in marks}
    # And to another LMS: both members of each group, by ids that begin with zeros.
    data, made = exported("canvas", marks, sheet=canvas_gradebook(), layout="gradescope")
    assert made.unmatched == ()
    first = {number: number - number % 2 if number < 20 else number for number in range(30)}
    expect(canvas_import(data), of=lambda number: points(first[number]))


# GitHub and Google


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


def test_the_made_up_documents_are_ones_of_ours():
    import jsonschema

    from grader.report.schema import report_schema

    for score in (0, 3, float(MOST)):
        jsonschema.validate(document("x", score), report_schema())
    jsonschema.validate(document("x", 0, status="unreadable"), report_schema())
