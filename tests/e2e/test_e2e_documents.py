"""The JSON document that the real command writes: who reads it, and that it repeats itself."""

from __future__ import annotations

import json
import time

import jsonschema
import msgspec
import pytest
from e2e_commands import NAME, REFERENCE, STAFF, WRONG, checked, grade, points

from grader.assignment import Assignment, find_assignment
from grader.cli.finding import submission_for
from grader.grading import Graded, Grading, with_grading
from grader.report.document import without_times
from grader.report.schema import SCHEMA_FILE
from grader.student.isolation import forks, resolve_level, starter
from grader.student.jail import probe, why_not
from grader.submission import Cell, Submission, SubmittedFile

SCHEMA = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
REPORTING = ("created", "duration", "exitcode", "root", "environment", "summary", "tests")


def test_the_schema_accepts_it(of_reference, of_wrong):
    for run in (of_reference, of_wrong):
        jsonschema.Draft202012Validator(SCHEMA).validate(run.document)


def test_readers_of_pytest_json_report_accept_it(of_reference, of_wrong):
    for run in (of_reference, of_wrong):
        document = run.document
        assert [key for key in REPORTING if key not in document] == []
        assert abs(document["created"] - time.time()) < 600
        tests, summary = document["tests"], document["summary"]
        assert summary["total"] == summary["collected"] == len(tests) >= 20
        for outcome in ("passed", "failed"):
            counted = sum(test["outcome"] == outcome for test in tests)
            assert summary.get(outcome, 0) == counted
        for test in tests:
            assert test["nodeid"].count("::") == 1
            for stage in ("setup", "call", "teardown"):
                assert test[stage]["outcome"] in ("passed", "failed")
                assert test[stage]["duration"] >= 0
        assert document["exitcode"] == (1 if summary.get("failed") else 0)


def test_points_are_those_of_the_tests(of_reference, of_wrong):
    for run in (of_reference, of_wrong):
        earned: dict[str, float] = {}
        for test in run.document["tests"]:
            about = test["metadata"]
            earned[about["exercise"]] = earned.get(about["exercise"], 0) + about["earned"]
        assert earned == points(run.document)
        assert sum(earned.values()) == run.document["grade"]["score"]
    assert of_reference.document["grade"]["score"] == 25
    assert of_wrong.document["grade"]["score"] == 20
    assert {k: v for k, v in points(of_wrong.document).items() if k in ("relu", "sgd")} == {
        "relu": 0,
        "sgd": 3,
    }


def test_nothing_of_the_machine_is_in_it(of_wrong):
    text = json.dumps(of_wrong.document)
    assert str(STAFF.parents[1]) not in text
    assert "Traceback" not in text


def test_a_dash_prints_the_document_and_nothing_else():
    done = grade("check", WRONG, "-a", NAME, "--json", "-", "-e", "relu")
    document = json.loads(done.out)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert (done.status, done.err) == (1, "")
    assert [entry["name"] for entry in document["grade"]["exercises"]] == ["relu"]
    assert document["grade"]["complete"] is False


def test_the_same_submission_twice_gives_the_same_document(of_wrong, tmp_path):
    again = checked(tmp_path, WRONG)
    assert without_times(again.document) == without_times(of_wrong.document)


def test_in_the_strongest_isolation_too(tmp_path):
    missing = why_not("jail", probe()) if forks() else "no worker is forked here"
    if missing:
        pytest.skip(f"jail does not hold here: {missing}")
    file = STAFF / "wrong" / "graph_cut_relu_numpy.py"
    documents = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        run = checked(tmp_path / name, file, "--isolation", "jail")
        documents.append(without_times(run.document))
    assert documents[0] == documents[1]
    assert documents[0]["grade"]["isolation"] == "jail"
    assert documents[0]["grade"]["score"] < 25


HANGS = """
import torch

def relu(x):
    print("relu was called")
    while True:
        pass

def logistic(x):
    return 1 / (1 + torch.exp(-x))
"""
EXITS = """
import os
import torch
torch.set_default_dtype(torch.float64)
torch.set_grad_enabled(False)
torch.manual_seed(1)

def relu(x):
    return torch.where(x > 0, x, torch.zeros_like(x))

def logistic(x):
    os._exit(0)
"""


@pytest.fixture(scope="module")
def assignment() -> Assignment:
    """With short limits: hanging is to be tried often."""
    found = find_assignment(NAME, STAFF.parent)
    return msgspec.structs.replace(
        found, limits=msgspec.structs.replace(found.limits, call_seconds=0.3)
    )


@pytest.fixture(scope="module")
def submissions(assignment) -> dict[str, Submission]:
    made = {
        name: Submission(name, (SubmittedFile(f"{name}.py", "0" * 64),), f"{name}.py",
                         (Cell(None, source),))
        for name, source in {"hangs": HANGS, "exits": EXITS}.items()
    }  # fmt: skip
    files = {
        "good": REFERENCE,
        "bad": WRONG,
        "grad_mode": STAFF / "wrong" / "grad_mode_left_off_switch.py",
        "settings": STAFF / "right" / "global_settings_changed.py",
        "notebook": STAFF / "wrong" / "gradient_not_reset_times_zero.ipynb",
    }
    return made | {name: submission_for(file, assignment) for name, file in files.items()}


def test_a_submission_graded_after_others_gives_the_document_it_gives_alone(
    assignment, submissions
):
    level, _ = resolve_level("auto")
    only = ("relu", "logistic", "forward", "sgd")
    session = ["good", "bad", "good", "hangs", "bad", "exits", "good", "grad_mode", "notebook",
               "settings", "bad", "notebook"]  # fmt: skip

    def graded(names: list[str]) -> list[Graded]:
        found: list[Graded] = []

        def body(grading: Grading) -> None:
            found.extend(grading.grade(submissions[name]) for name in names)

        with_grading(assignment, body, start_worker=start, isolation=level, only=only)
        return found

    with starter(level, assignment.limits, [STAFF]) as start:
        alone = {name: graded([name])[0] for name in sorted(set(session))}
        together = graded(session)
    for name, one in zip(session, together, strict=True):
        assert without_times(one.document) == without_times(alone[name].document), name
    scores = {name: one.report.score for name, one in alone.items()}
    assert scores["good"] == scores["settings"] == 15
    assert scores["hangs"] == 3
    assert scores["exits"] == 3
    assert 0 < scores["bad"] < 15


def test_a_warm_session_gives_what_a_cold_command_gives(of_wrong, of_reference):
    assignment = find_assignment(NAME, STAFF.parent)
    level, _ = resolve_level("auto")
    found: list[Graded] = []

    def body(grading: Grading) -> None:
        for file in (WRONG, REFERENCE):
            found.append(grading.grade(submission_for(file, assignment)))

    with starter(level, assignment.limits, [STAFF]) as start:
        with_grading(assignment, body, start_worker=start, isolation=level)
    for graded, run in zip(found, (of_wrong, of_reference), strict=True):
        warm = json.loads(json.dumps(graded.document))
        assert without_times(warm) == without_times(run.document)
