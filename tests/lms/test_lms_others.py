"""An invented class of 30, to each other LMS and back.

The importers here keep the rules that the LMS keeps, silent ones included: a student whom the
real one would skip or mix up is missing or wrong here too.
"""

from __future__ import annotations

import csv
import io
import re
from fractions import Fraction

import pytest
from lms_class import (
    CLASS,
    SOURCE,
    TITLE,
    exported,
    laid_out,
    points,
    roster,
    stored,
    taken_in,
)
from lms_sheets import (
    FORMS,
    expect,
    number_in,
    rows_of,
)


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
    files = {f"HW1_Team {team}_attempt_2026-10-01-23-58-07_hw1.py": SOURCE for team in range(10)}
    known = roster("username,name,group", [(s.login, "", f"Team {s.number // 3}") for s in CLASS])
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
