"""Canvas' rules for what comes in and what goes back, and what round trips share."""

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
    points,
)

FORMS = pytest.mark.parametrize("form", ["folder", "zip"])


def rows_of(data, encoding="utf-8-sig", **dialect):
    return list(csv.reader(io.StringIO(data.decode(encoding), newline=""), **dialect))


def expect(found, students=CLASS, scale=1, of=points):
    assert {key: round(float(value), 5) for key, value in found.items()} == {
        student: round(float(of(student.number) * scale), 5) for student in students
    }


def number_in(pattern):
    return lambda entry: points(int(re.search(pattern, entry.people[0].id)[1]))


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
