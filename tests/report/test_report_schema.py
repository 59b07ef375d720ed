"""The committed schema is the generated one, and every report keeps to it."""

from __future__ import annotations

import copy
import json

import jsonschema
import pytest

from grader.assignment import find_assignment
from grader.errors import GraderFailed, UnreadableSubmission
from grader.report.build import failed_report, unreadable_report
from grader.report.document import bare_document, dump, grade_of
from grader.report.schema import SCHEMA_FILE, report_schema, schema_text
from grader.report.student_view import student_document


def check(document):
    jsonschema.Draft202012Validator(report_schema()).validate(json.loads(dump(document)))


def test_the_committed_schema_is_the_generated_one():
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text()
    jsonschema.Draft202012Validator.check_schema(report_schema())


def test_real_reports_keep_to_it(runs):
    for run in runs.values():
        check(run.document)
        check(student_document(run.document))


@pytest.mark.parametrize(
    ("make", "error", "status", "code"),
    [
        (unreadable_report, UnreadableSubmission("a.py is empty", "Save it."), "unreadable", 5),
        (failed_report, GraderFailed("no worker came up"), "grader_failed", 3),
    ],
)  # fmt: skip
def test_reports_without_a_verdict_keep_to_it(make, error, status, code):
    report = make(find_assignment("xor_by_hand"), "late \udc80 hand-in", error, duration=0.25)
    document = bare_document(report)
    check(document)
    assert document["exitcode"] == code
    assert document["tests"] == []
    assert document["grade"]["status"] == status
    assert document["grade"]["notes"][0]["message"] == str(error)
    assert document["grade"]["complete"] is False
    assert grade_of(json.loads(dump(document))) == report


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("grade", "format"), "grade/2"),
        (("grade", "score"), "3"),
        (("grade", "score"), -1),
        (("grade", "exercises", 0, "status"), "fine"),
        (("grade", "submission", "files", 0, "sha256"), "abc"),
        (("tests", 0, "nodeid"), "/home/somewhere/test_relu.py::test_values"),
        (("tests", 0, "call", "longrepr"), "Traceback"),
        (("root",), "/home/somewhere"),
    ],
)
def test_it_refuses_what_is_no_report(runs, path, value):
    document = copy.deepcopy(runs["float64"].document)
    *way, last = path
    place = document
    for key in way:
        place = place[key]
    place[last] = value
    with pytest.raises(jsonschema.ValidationError):
        check(document)


@pytest.mark.parametrize(
    "key", ["format", "exercises", "notes", "review", "seed", "isolation", "versions", "duration"]
)
def test_what_a_reader_relies_on_is_required(runs, key):
    document = copy.deepcopy(runs["stub"].document)
    del document["grade"][key]
    with pytest.raises(jsonschema.ValidationError):
        check(document)
