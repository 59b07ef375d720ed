"""What a student may see of hidden checks: exercise, points, misconception."""

from __future__ import annotations

import json

import pytest
from msgspec import structs

from grader.misconceptions.catalogue import general
from grader.report.document import dump
from grader.report.model import FindingEntry
from grader.report.student_view import REVIEW, student_document, student_report
from grader.report.terminal import render


def hidden_texts(document):
    """Title, name and place of every hidden check."""
    for test in document["tests"]:
        if test["metadata"]["visibility"] == "hidden":
            yield test["metadata"]["title"]
            yield test["nodeid"]
            yield test["nodeid"].partition("::")[2]


def exercise(report, name):
    return next(entry for entry in report.exercises if entry.name == name)


def with_finding(report, found):
    entries = tuple(
        structs.replace(entry, findings=(found,)) if entry.name == "logistic" else entry
        for entry in report.exercises
    )
    return structs.replace(report, exercises=entries)


def test_nothing_of_a_hidden_check_leaks(runs):
    for run in runs.values():
        secrets = set(hidden_texts(run.document))
        assert len(secrets) > 20 or run is runs["public"]
        seen = student_document(run.document, general())
        text = dump(seen).decode() + render(student_report(run.report, general()), hints=3)
        assert [secret for secret in secrets if secret in text] == []
        for number in ("42.4242", "7.7777", "8.8888"):
            assert number not in text


def test_the_staff_document_does_hold_them(runs):
    text = dump(runs["float64"].document).decode()
    assert "42.4242" in text
    assert all(secret in text for secret in hidden_texts(runs["float64"].document))


def test_exercise_points_and_outcome_stay(runs):
    for run in runs.values():
        seen = student_document(run.document)
        assert seen["summary"] == run.document["summary"]
        for before, after in zip(run.document["tests"], seen["tests"], strict=True):
            assert after["outcome"] == before["outcome"]
            for fact in ("exercise", "points", "earned", "visibility", "follow_through"):
                assert after["metadata"][fact] == before["metadata"][fact]
            if before["metadata"]["visibility"] == "visible":
                assert after == before
        names = [test["nodeid"] for test in seen["tests"]]
        assert len(set(names)) == len(names)


def test_a_named_mistake_keeps_its_name_and_gets_general_words(runs):
    found = FindingEntry(
        "float64-mixing",
        "float64 at x = 42.4242",
        "you returned 7.7777",
        {"x": 42.4242},
        file="mine.py",
        line=42,
        hints=("try x = 42.4242",),
        check="hidden/test_logistic.py::test_other_shapes",
        hidden=True,
        output="saw 42.4242",
    )
    catalogue = general()
    seen = exercise(
        student_report(with_finding(runs["float64"].report, found), catalogue), "logistic"
    ).findings
    known = catalogue["float64-mixing"]
    assert [entry.bug for entry in seen] == ["float64-mixing"]
    assert seen[0].title == known.title
    assert seen[0].message == known.explanation
    assert seen[0].hints == known.hints
    assert (seen[0].evidence, seen[0].line, seen[0].output) == ({}, None, "")


def test_evidence_drawn_again_on_public_inputs_stays(runs):
    found = exercise(runs["float64"].report, "logistic").findings[0]
    report = with_finding(runs["float64"].report, structs.replace(found, hidden=False))
    assert exercise(student_report(report), "logistic").findings == (found,)


def test_the_same_mistake_is_said_once(runs):
    found = exercise(runs["float64"].report, "logistic").findings[0]
    again = structs.replace(found, hidden=True, message="7.7777")
    other = structs.replace(again, bug=None)
    entries = tuple(
        structs.replace(entry, findings=(found, again, other, other))
        if entry.name == "logistic"
        else entry
        for entry in runs["float64"].report.exercises
    )
    seen = student_report(structs.replace(runs["float64"].report, exercises=entries))
    assert [entry.hidden for entry in exercise(seen, "logistic").findings] == [False, True]


@pytest.mark.parametrize("cap", [0, 1, 2])
def test_hints_stop_at_the_assignments_limit(runs, cap):
    report = runs["float64"].report
    report = structs.replace(report, assignment=structs.replace(report.assignment, max_hints=cap))
    seen = student_report(report, general())
    ladders = [found.hints for entry in seen.exercises for found in entry.findings]
    assert ladders
    assert max(map(len, ladders)) == cap
    assert json.dumps(render(report, hints=3)) == json.dumps(render(report, hints=cap))


def test_a_human_look_is_announced_without_its_reasons(runs):
    report = structs.replace(runs["reference"].report, review=("line 3 reaches for ctypes",))
    assert student_report(report).review == (REVIEW,)
    assert student_report(runs["reference"].report).review == ()
