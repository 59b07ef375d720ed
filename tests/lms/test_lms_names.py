"""Names as awkward as real ones, and whose row is whose."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lms_class import exported
from lms_marks import CANVAS, FEW, SHEETS, everything, one, text_of
from msgspec import structs

from grader.errors import UsageError
from grader.people import Person
from grader.report.exporters.sheet import bare, new_sheet, read_sheet, safe

NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=30
) | st.sampled_from(
    ["=1+1", "@x", "-x", "+x", 'a "b", c', "line\nbreak", "line\r\nbreak", "ليلى", "a\tb", "  =x"]
)


@FEW
@given(st.lists(NAMES, min_size=1, max_size=5))
def test_names_survive_the_csv_and_start_no_formula(names):
    marks = [
        structs.replace(one(), id=f"id{number}", people=(Person(str(number), name),))
        for number, name in enumerate(names)
    ]
    data, _ = exported("csv", marks)
    rows = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    assert [row["id"] for row in rows] == [str(number) for number in range(len(names))]
    for row, name in zip(rows, names, strict=True):
        assert row["name"] in (name, f"'{name}")
        cell = row["name"].lstrip(" ")
        assert not cell.startswith(("=", "@")), "a spreadsheet takes it for a formula"


@FEW
@given(st.lists(NAMES, min_size=1, max_size=5), st.sampled_from([",", ";", "\t"]))
def test_a_sheet_is_read_as_it_was_written(names, delimiter):
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(["Name", "Id"])
    writer.writerows((name, str(number)) for number, name in enumerate(names))
    sheet = read_sheet(out.getvalue().encode(), "sheet")
    assert [row[0] for row in sheet.rows] == names
    assert read_sheet(sheet.written([sheet.header, *sheet.rows]), "sheet") == sheet


@FEW
@given(NAMES)
def test_a_neutralised_name_is_still_the_same_key(name):
    assert bare(safe(name)) == bare(name)


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "@SUM(1)", "+1+1", "-2+3", "\t=1", "  =1"])
def test_formulas_in_a_gradebook_are_neutralised_and_matched_by_id(name):
    row = new_sheet([(name, "1", name, name, name, "")]).decode()
    data, made = everything("canvas", one(), sheet=(CANVAS + row).encode())
    assert made.unmatched == ()
    (_, sheet) = text_of(data).split("canvas.csv")
    (cells,) = list(csv.reader(io.StringIO(sheet, newline="")))[1:]
    assert cells[1] == "1"
    assert all(cells[place].startswith("'") for place in (0, 2, 3, 4))
    assert cells[5] == "4"


def test_numbers_are_no_formulas():
    assert [safe(text) for text in ("-1", "+2.5", "-1,5")] == ["-1", "+2.5", "-1,5"]


def rows(*students):
    return (CANVAS + new_sheet(students).decode()).encode()


def test_two_with_one_name_get_nothing():
    mark = structs.replace(one(), people=(Person("", "Ada Inventedname"),))
    sheet = rows(
        ("Inventedname, Ada", "1", "", "", "A", ""), ("Inventedname, Ada", "2", "", "", "B", "")
    )
    _, made = everything("canvas", mark, sheet=sheet)
    assert made.unmatched == ("one (Ada Inventedname): 2 rows of the gradebook fit",)


def test_two_submissions_of_one_student_get_nothing():
    marks = (one(), structs.replace(one(), id="two"))
    data, made = exported("canvas", marks, sheet=SHEETS["canvas"].encode())
    assert made.unmatched == ("one and two: claim one row of the gradebook",)
    assert len(data.decode().splitlines()) == 1


def test_an_id_counts_before_a_name():
    mark = structs.replace(one(), people=(Person("s2", "Ada Inventedname"),))
    sheet = rows(
        ("Inventedname, Ada", "1", "s1", "", "A", ""), ("Elsewise, Ada", "2", "s2", "", "B", "")
    )
    data, made = everything("canvas", mark, sheet=sheet)
    assert made.unmatched == ()
    assert "Elsewise" in text_of(data)
    assert "Inventedname" not in text_of(data)


def test_no_verdict_is_no_zero():
    for status in ("unreadable", "grader_failed"):
        data, made = everything("canvas", one(0, status))
        assert len(text_of(data).splitlines()) == 1
        assert "nothing is filled in" in made.said[0]


def test_an_excused_student_stays_excused():
    sheet = SHEETS["canvas"].replace("A,\n", "A,EX\n").encode()
    data, made = everything("canvas", one(), sheet=sheet)
    assert "excused" in made.said[0]
    assert "Inventedname" not in text_of(data)


def test_moodle_says_whose_grade_is_locked():
    sheet = SHEETS["moodle"].replace("Status,", "Grade can be changed,").replace(",x,", ",No,")
    _, made = everything("moodle", one(), sheet=sheet.encode())
    assert "locked" in made.unmatched[0]


@pytest.mark.parametrize(
    ("name", "sheet", "said"),
    [
        ("canvas", CANVAS.replace("Nets by hand", "Other"), "no column"),
        ("canvas", "A,B,C\n1,2,3\n", "no gradebook of Canvas"),
        ("canvas", "Student,ID,SIS\n", "Section"),
        ("canvas", "", "empty"),
        ("moodle", "A,B\n1,2\n", "no grading worksheet"),
        ("moodle", SHEETS["moodle"].replace(",10,", ",A to F,"), "scale"),
        ("blackboard", "A,B\n1,2\n", "Username"),
        ("brightspace", "A,B\n1,2\n", "OrgDefinedId"),
    ],
)
def test_a_sheet_that_does_not_fit_is_refused(name, sheet, said):
    with pytest.raises(UsageError, match=said):
        everything(name, one(), sheet=sheet.encode())
