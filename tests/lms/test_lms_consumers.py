"""What reads the files: the real programs where a registry has them, else their rules."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from datetime import datetime
from fractions import Fraction
from pathlib import Path

import junitparser
import pytest
from lms_class import SECRET_TITLE, document, exported
from msgspec import structs

from grader.errors import UsageError
from grader.people import Person
from grader.report.exporters import mark_of

HERE = Path(__file__).parent / "consumers"
PYTHON = os.environ.get("GRADE_CONSUMERS_PYTHON", "")
with_consumers = pytest.mark.skipif(
    not PYTHON, reason="GRADE_CONSUMERS_PYTHON is not set: see consumers/requirements.txt"
)
SCORES = pytest.mark.parametrize("score", [0, 1, Fraction(10, 3), 7.25, 10])


ADA = (Person("00427", "Ada Inventedname"),)


def mark(score=7.25, status="graded", people=ADA):
    return mark_of(document("one", score, status=status), people)


def made(name, *marks, file="out.json", **about):
    return exported(name, marks or (mark(),), file, **about)[0]


# Gradescope


@SCORES
def test_gradescope(score):
    results = json.loads(made("gradescope", mark(score)))
    assert results["score"] == pytest.approx(float(score))
    assert sum(test["score"] for test in results["tests"]) == pytest.approx(float(score))
    assert sum(test["max_score"] for test in results["tests"]) == 10
    assert {"score", "tests", "output", "visibility", "stdout_visibility"} <= set(results)
    known = {
        "score", "max_score", "status", "name", "name_format", "number", "output", "output_format",
        "tags", "visibility", "extra_data",
    }  # fmt: skip
    for test in results["tests"]:
        assert set(test) <= known
        assert test["status"] in ("passed", "failed")
        assert isinstance(test["number"], str)
    assert "\0" not in json.dumps(results)


def test_gradescope_shows_hidden_checks_after_publishing():
    seen = [test["visibility"] for test in json.loads(made("gradescope"))["tests"]]
    assert seen == ["visible", "after_published", "visible", "after_published"]


def test_an_unreadable_submission_says_why():
    results = json.loads(made("gradescope", mark(0, "unreadable")))
    assert (results["score"], results["tests"]) == (0, [])
    assert "hw1.py is empty" in results["output"]


@pytest.mark.parametrize("name", ["gradescope", "coursera", "prairielearn", "junit", "codegrade"])
def test_no_file_where_the_grader_failed(name):
    with pytest.raises(UsageError, match="nothing to export"):
        made(name, mark(0, "grader_failed"))


# PrairieLearn


@SCORES
def test_prairielearn(score):
    results = json.loads(made("prairielearn", mark(score)))
    assert results["gradable"] is True
    assert type(results["score"]) is float
    assert 0 <= results["score"] <= 1
    assert results["score"] == pytest.approx(float(score) / 10)
    for test in results["tests"]:
        # One without points hides those of all; text beside numbers crashes the page.
        assert type(test["points"]) is float
        assert type(test["max_points"]) is float


def test_prairielearn_charges_no_attempt_for_what_cannot_be_read():
    results = json.loads(made("prairielearn", mark(0, "unreadable")))
    assert results["gradable"] is False
    assert "score" not in results
    assert "hw1.py is empty" in results["message"]


# Coursera


@SCORES
def test_coursera_by_its_rule(score):
    feedback = json.loads(made("coursera", mark(score)))
    assert type(feedback["fractionalScore"]) is float
    assert feedback["fractionalScore"] == pytest.approx(float(score) / 10)
    assert isinstance(feedback["feedback"], str)


@with_consumers
@pytest.mark.parametrize(("status", "score"), [("graded", 10), ("graded", 3.3), ("unreadable", 0)])
def test_coursera_takes_it(tmp_path, status, score):
    file = tmp_path / "feedback.json"
    file.write_bytes(made("coursera", mark(score, status)))
    command = [PYTHON, HERE / "coursera_reads.py", file]
    assert subprocess.run(command, capture_output=True, timeout=60).returncode == 0
    file.write_text('{"fractionalScore": 1.1, "feedback": ""}')
    assert subprocess.run(command, capture_output=True, timeout=60).returncode == 1


# LTI


def test_lti_score_document():
    made_of = mark()
    document = json.loads(made("lti-ags", made_of))
    assert document["userId"] == "00427"
    assert (document["scoreGiven"], document["scoreMaximum"]) == (7.25, 10)
    assert document["activityProgress"] == "Completed"
    assert document["gradingProgress"] == "FullyGraded"
    when = datetime.fromisoformat(document["timestamp"])
    assert when.timestamp() == pytest.approx(made_of.when, abs=1e-3)
    assert re.search(r"\.\d{3}\+00:00$", document["timestamp"])
    assert not any("canvas" in key for key in document)


def test_lti_for_canvas_uses_up_no_attempt():
    document = json.loads(made("lti-ags", settings={"platform": "canvas"}))
    assert document["https://canvas.instructure.com/lti/submission"] == {"new_submission": False}


@pytest.mark.parametrize(("status", "progress"), [("unreadable", "Failed"), ("graded", "Pending")])
def test_lti_never_sends_a_zero_for_no_verdict(status, progress):
    one = mark(4, status)
    one.document["grade"]["complete"] = False
    document = json.loads(made("lti-ags", one))
    assert document["gradingProgress"] == progress
    assert ("scoreGiven" in document) == (status == "graded")


def test_lti_gives_each_of_a_group_a_document():
    group = mark(people=(Person("a", "A"), Person("b", "B"), Person("", "C")))
    _, result = exported("lti-ags", (group,), "out.zip")
    assert [json.loads(part)["userId"] for _, part in result.parts] == ["a", "b"]
    assert result.unmatched == ("one (C): no user id is known",)


@with_consumers
def test_an_lti_platform_reads_it(tmp_path):
    file = tmp_path / "score.json"
    file.write_bytes(made("lti-ags"))
    command = [PYTHON, HERE / "lti_reads.py", file]
    read = json.loads(subprocess.run(command, capture_output=True, timeout=60, check=True).stdout)
    assert (read["score_given"], read["score_maximum"], read["user_id"]) == (7.25, 10, "00427")


# JUnit


@SCORES
def test_junit(tmp_path, score):
    file = tmp_path / "junit.xml"
    file.write_bytes(made("junit", mark(score), file="out.xml"))
    (suite,) = junitparser.JUnitXml.fromfile(str(file))
    cases = list(suite)
    assert (suite.tests, suite.errors, suite.skipped) == (4, 0, 0)
    assert suite.failures == sum(case.is_failure for case in cases)
    assert len({case.name for case in cases}) == 4
    text = file.read_text()
    assert all(len(t.partition(".")[2]) <= 3 for t in re.findall(r' time="([\d.]+)"', text))
    assert "<propert" not in text
    for case in cases:
        for result in case.result:
            assert len(result.message) <= 20_000


def test_junit_says_what_cannot_be_read(tmp_path):
    file = tmp_path / "junit.xml"
    file.write_bytes(made("junit", mark(0, "unreadable"), file="out.xml"))
    (suite,) = junitparser.JUnitXml.fromfile(str(file))
    (case,) = suite
    assert suite.errors == 1
    assert "hw1.py is empty" in case.result[0].message


# CTRF


@pytest.fixture(scope="module")
def validate_ctrf(tmp_path_factory):
    npm, node = shutil.which("npm"), shutil.which("node")
    if not npm or not node:
        pytest.skip("there is no npm")
    folder = tmp_path_factory.mktemp("ctrf")
    command = [npm, "install", "--silent", "--no-audit", "--no-fund", "ctrf@0.3.0"]
    try:
        subprocess.run(command, cwd=folder, capture_output=True, timeout=90, check=True)
    except (subprocess.SubprocessError, OSError):
        pytest.skip("npm cannot fetch ctrf")
    script = folder / "check.mjs"
    script.write_text(
        'import { readFileSync } from "node:fs";\nimport { validate } from "ctrf";\n'
        'console.log(JSON.stringify(validate(JSON.parse(readFileSync(0, "utf8")))));\n'
    )

    def check(data):
        done = subprocess.run(
            [node, script], input=data, cwd=folder, capture_output=True, timeout=60, check=True
        )
        return json.loads(done.stdout)

    return check


def test_ctrf_is_valid(validate_ctrf):
    for one in (mark(), mark(10), mark(0, "unreadable")):
        result = validate_ctrf(made("ctrf", one))
        assert result["valid"], result
    broken = json.loads(made("ctrf"))
    broken["results"]["tests"][0]["duration"] = "long"
    assert not validate_ctrf(json.dumps(broken).encode())["valid"]


@SCORES
def test_ctrf_counts(score):
    results = json.loads(made("ctrf", mark(score)))["results"]
    summary = results["summary"]
    assert summary["tests"] == len(results["tests"]) == summary["passed"] + summary["failed"]
    assert all(type(test["duration"]) is int for test in results["tests"])
    assert type(summary["start"]) is int
    assert summary["extra"]["points"] == pytest.approx(float(score))


# CodeGrade, Classroom 50, JSON Lines


@SCORES
def test_codegrade(score):
    tests, points = (json.loads(line) for line in made("codegrade", mark(score)).splitlines())
    assert tests["tag"] == "unit-test"
    for suite in tests["results"]:
        assert {"id", "name", "testCases"} <= set(suite)
        for case in suite["testCases"]:
            assert case["status"] in ("success", "failure", "skipped")
    assert points["tag"] == "points"
    assert re.fullmatch(r"\d+(\.\d+)?/\d+(\.\d+)?", points["points"])
    assert float(Fraction(points["points"].split("/")[0])) == pytest.approx(float(score), abs=1e-6)


TOLD = {
    "classroom": "c", "owner": "made_up00", "submission": "submit/1", "commit": "0" * 40,
    "release": "r", "review": "v",
}  # fmt: skip


@pytest.mark.parametrize(("score", "factor"), [(7, 1), (7.25, 4), (Fraction(10, 3), 3)])
def test_classroom50_has_whole_numbers_and_says_how(score, factor):
    data, result = exported("classroom50", (mark(score),), "out.json", settings=TOLD)
    made = json.loads(data)
    assert set(made) == {
        "schema", "classroom", "assignment", "assignment_type", "owner", "submission", "commit",
        "release", "review", "datetime", "score", "max-score", "tests",
    }  # fmt: skip
    assert made["schema"] == "classroom50/result/v1"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", made["datetime"])
    assert (made["score"], made["max-score"]) == (round(score * factor), 10 * factor)
    for test in made["tests"]:
        assert set(test) == {"test-name", "passed", "score", "max-score"}
        assert type(test["score"]) is int
    assert sum(test["score"] for test in made["tests"]) == made["score"]
    assert bool(result.said) == (factor != 1)


def test_classroom50_fails_what_cannot_be_read():
    data, _ = exported("classroom50", (mark(0, "unreadable"),), "out.json", settings=TOLD)
    made = json.loads(data)
    assert made["score"] == 0
    assert made["tests"]
    assert not any(test["passed"] for test in made["tests"])


@pytest.mark.parametrize("missing", sorted(TOLD))
def test_classroom50_asks_for_what_it_is_not_told(missing):
    told = {name: value for name, value in TOLD.items() if name != missing}
    with pytest.raises(UsageError, match=missing):
        made("classroom50", settings=told)


def test_classroom50_submissions_begin_with_submit():
    with pytest.raises(UsageError, match="submit/"):
        made("classroom50", settings={**TOLD, "submission": "1"})


def test_json_lines_keep_everybody():
    marks = [structs.replace(mark(number), id=f"id {number}\u2028") for number in range(10)]
    lines = made("jsonl", *marks, file="out.jsonl").decode().splitlines()
    records = [json.loads(line) for line in lines]
    assert [record["submission"] for record in records] == [one.id for one in marks]
    assert [record["score"] for record in records] == list(range(10))
    assert records[3]["exercises"][1]["bugs"] == ["gradient-not-reset"]
    assert SECRET_TITLE not in str(records)
