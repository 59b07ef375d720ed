"""Whose grade goes to whom. No request is made here."""

from __future__ import annotations

import pytest
from push_class import mark

from grader.errors import UsageError
from grader.people import Person
from grader.pushing.plan import planned
from grader.pushing.recipients import addressed, as_it_is, chained, roster_table, table

ADA, BEN = Person("1", "Ada", "ada@invented.example"), Person("2", "Ben", "BEN@invented.example")


def users(found):
    return {one.mark.id: one.user for one in found.claims}


def lines(found):
    return [one.line for one in found.unmatched]


@pytest.mark.parametrize(
    ("by", "user"), [("id", "1"), ("email", "ada@invented.example"), ("submission", "a")]
)
def test_a_column_of_ours_is_the_users_id(by, user):
    assert users(addressed([mark("a", ADA)], by, as_it_is)) == {"a": user}


def test_nobody_is_found_by_a_name():
    known = table([("Ada", "u1"), ("Ada Inventedname", "u1")])
    found = addressed([mark("x", Person("", "Ada")), mark("Ada", Person("7", "Ada"))], "id", known)
    assert users(found) == {}
    assert lines(found) == ["x (Ada): no id is known", "Ada: nobody has the id 7"]


def test_who_handed_in_must_be_known():
    assert lines(addressed([mark("a")], "id", as_it_is)) == ["a: no id is known"]
    assert users(addressed([mark("a")], "submission", as_it_is)) == {"a": "a"}


def test_a_group_gets_the_same_each_once():
    found = addressed([mark("g", ADA, BEN, ADA)], "id", as_it_is)
    assert [(one.user, one.shown) for one in found.claims] == [("1", "g (Ada)"), ("2", "g (Ben)")]


def test_a_user_whom_two_submissions_claim_gets_neither():
    marks = [mark("alone", ADA), mark("group", ADA, BEN)]
    found = addressed(marks, "id", as_it_is)
    assert [(one.user, one.mark.id) for one in found.claims] == [("2", "group")]
    assert lines(found) == ["alone and group: all claim user 1, so none is sent"]
    # One of the two without a verdict makes it no clearer which counts.
    marks[1] = mark("group", ADA, status="unreadable")
    plan = planned(addressed(marks, "id", as_it_is), marks)
    assert (plan.due, len(plan.problems), len(plan.held)) == ((), 1, 1)


def test_a_line_that_fits_twice_fits_nobody():
    known = table([("1", "u1"), ("1", "u9"), ("2", "u2"), (" 2", "u2"), ("3", ""), ("", "u4")])
    marks = [mark("a", ADA), mark("b", BEN), mark("c", Person("3")), mark("d", Person("aB"))]
    found = addressed(marks, "id", known)
    assert users(found) == {"b": "u2"}
    assert lines(found)[0] == "a (Ada): 2 users have the id 1"
    assert users(addressed([mark("d", Person("aB"))], "id", table([("Ab", "u")]))) == {"d": "u"}
    both = table([("Ab", "u1"), ("aB", "u2")])
    assert users(addressed([mark("d", Person("aB"))], "id", both)) == {}


def test_a_roster_leads_to_the_platforms_ids(tmp_path):
    file = tmp_path / "class.csv"
    file.write_bytes(
        "Student ID,Name,lti_user_id\r\n001,Ada,5b2c\r\n2,Ben,\r\n3,Cy\r\n\r\n".encode("utf-8-sig")
    )
    find = roster_table(file, "student id", "lti_user_id")
    assert (find("001"), find("1"), find("2"), find("3")) == (("5b2c",), (), (), ())
    assert chained(find, table([("5b2c", "77")]))("001") == ("77",)
    for by, said in (("sid", "no column sid"), ("Name,", "no column")):
        with pytest.raises(UsageError, match=said):
            roster_table(file, by, "lti_user_id")
    file.write_text("id,id,u\n")
    with pytest.raises(UsageError, match="2 columns called id"):
        roster_table(file, "id", "u")
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not UTF-8"):
        roster_table(file, "id", "u")
