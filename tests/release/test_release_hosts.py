"""Each bundle run in the layout of its host, and what it wrote judged by the host's rules."""

from __future__ import annotations

import json
import math
import os
import re
import stat
import sys
from collections.abc import Callable
from typing import Any

import pytest
from release_layouts import NAME, STAFF, Ran

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the hosts are Linux containers")

Runs = Callable[[str], Ran]
ANSWER = (STAFF / "reference.py").read_text(encoding="utf-8").splitlines()[0]

# It was tried, and refused three times.
REFUSED = r"LOOT \[('refused: \w+', ){2}'refused: \w+'\]"


def assert_gradescope_takes(results: dict[str, Any]) -> None:
    """Its documented rules: known keys, formats, visibilities, numbers."""
    assert set(results) <= {
        "score", "execution_time", "output", "output_format", "test_output_format",
        "test_name_format", "visibility", "stdout_visibility", "extra_data", "tests", "leaderboard",
    }  # fmt: skip
    shown = {"hidden", "after_due_date", "after_published", "visible"}
    formats = {"text", "html", "simple_format", "md", "ansi"}
    assert results["visibility"] in shown
    assert results["stdout_visibility"] in shown
    assert results["output_format"] in formats
    assert "\0" not in json.dumps(results)
    for test in results["tests"]:
        assert test["status"] in ("passed", "failed")
        assert 0 <= test["score"] <= test["max_score"]
        assert isinstance(test["number"], str)
        assert test["visibility"] in shown


def points(results: dict[str, Any], exercise: str) -> float:
    return sum(test["score"] for test in results["tests"] if test["tags"] == [exercise])


def said(results: dict[str, Any] | None) -> str:
    assert results is not None
    return json.dumps(results, ensure_ascii=False)


def test_gradescope_grades_with_hidden_checks(runs: Runs) -> None:
    ran = runs("gradescope graded")
    assert ran.status == 0, ran.err
    assert ran.result is not None
    assert_gradescope_takes(ran.result)
    assert ran.result["score"] == sum(test["score"] for test in ran.result["tests"])
    assert sum(test["max_score"] for test in ran.result["tests"]) == 25
    assert 0 < ran.result["score"] < 25
    assert "leaky relu" in said(ran.result)
    hidden = [test for test in ran.result["tests"] if "hidden" in test["name"]]
    assert hidden
    assert all(test["visibility"] == "after_published" for test in hidden)


def test_gradescope_tells_staff_of_another_total(runs: Runs) -> None:
    ran = runs("gradescope graded")
    assert "up to 25 points" in ran.out
    assert "has 30.0" in ran.out


def test_gradescope_keeps_the_answers_and_the_results(runs: Runs) -> None:
    """Without Landlock; the hostile one at Coursera meets Landlock, where there is one."""
    ran = runs("gradescope hostile")
    assert ran.status == 0, ran.err
    assert ran.result is not None
    assert_gradescope_takes(ran.result)
    assert ANSWER not in said(ran.result)
    assert "ada@example.org" not in said(ran.result)
    assert re.search(REFUSED, said(ran.result))
    # What does nothing right earns nothing, whatever it wrote over the results.
    assert ran.result["score"] == 0
    for exercise in ("relu", "logistic", "sgd"):
        assert points(ran.result, exercise) == 0


def test_gradescope_says_what_stood_in_for_landlock(runs: Runs) -> None:
    ran = runs("gradescope hostile")
    assert ran.result is not None
    assert "no Landlock" in ran.result["output"]
    source = ran.root / "autograder" / "source"
    assert not stat.S_IMODE(source.stat().st_mode) & 0o077
    if os.geteuid() == 0:
        assert "user id of its own" in ran.result["output"]
    landlocked = runs("gradescope graded").result
    assert landlocked is not None
    assert "Landlock" not in landlocked["output"]


@pytest.mark.parametrize(
    ("which", "why"),
    [("gradescope refused", "cannot be kept from the solutions"), ("gradescope died", "ended")],
)
def test_gradescope_without_a_verdict_gives_no_score(runs: Runs, which: str, why: str) -> None:
    ran = runs(which)
    assert ran.status == 0
    assert ran.result is not None
    assert_gradescope_takes(ran.result)
    assert "score" not in ran.result
    assert ran.result["tests"] == []
    assert "The grader failed" in ran.result["output"]
    assert why in ran.result["output"]


def test_gradescope_unreadable(runs: Runs) -> None:
    ran = runs("gradescope unreadable")
    assert ran.result is not None
    assert_gradescope_takes(ran.result)
    assert "could not be read" in ran.result["output"]
    assert "line 1" in ran.result["output"]


def test_prairielearn_grades(runs: Runs) -> None:
    ran = runs("prairielearn graded")
    assert ran.status == 0, ran.err
    result = ran.result
    assert result is not None
    assert result["gradable"] is True
    assert isinstance(result["score"], float)
    assert result["score"] == 1.0
    assert len(json.dumps(result).encode()) < 1 << 20
    for test in result["tests"]:
        for key in ("points", "max_points"):
            assert isinstance(test[key], int | float)
    total = sum(test["points"] for test in result["tests"])
    most = sum(test["max_points"] for test in result["tests"])
    assert most == 25
    assert math.isclose(result["score"], total / most)
    assert "SECRET ANSWER" not in said(result)


@pytest.mark.parametrize("which", ["prairielearn unreadable", "prairielearn died"])
def test_prairielearn_without_a_verdict_uses_up_no_attempt(runs: Runs, which: str) -> None:
    result = runs(which).result
    assert result is not None
    assert result["gradable"] is False
    assert "score" not in result
    assert result["format_errors"]
    what = "could not be read" if which.endswith("unreadable") else "The grader failed"
    assert what in said(result)


def test_coursera_grades(runs: Runs) -> None:
    ran = runs("coursera hostile")
    assert ran.status == 0, ran.err
    result = ran.result
    assert result is not None
    assert type(result["fractionalScore"]) in (int, float)
    assert result["fractionalScore"] == 0
    assert isinstance(result["feedback"], str)
    assert re.search(REFUSED, result["feedback"])
    assert ANSWER not in result["feedback"]
    assert json.loads(ran.out.splitlines()[-1]) == result


def test_coursera_unreadable(runs: Runs) -> None:
    ran = runs("coursera unreadable")
    assert ran.status == 0
    assert ran.result is not None
    assert ran.result["fractionalScore"] == 0
    assert "could not be read" in ran.result["feedback"]


def test_coursera_without_a_verdict_fails(runs: Runs) -> None:
    ran = runs("coursera died")
    assert ran.status != 0
    assert ran.result is not None
    assert "fractionalScore" not in ran.result
    assert "The grader failed" in ran.result["feedback"]


def assert_classroom50_takes(result: dict[str, Any]) -> None:
    """What its runner and its collector ask of a result."""
    assert set(result) == {
        "schema", "classroom", "assignment", "assignment_type", "owner", "submission", "commit",
        "release", "review", "datetime", "score", "max-score", "tests",
    }  # fmt: skip
    assert result["schema"] == "classroom50/result/v1"
    told = ("classroom", "assignment", "assignment_type", "owner")
    assert [result[key] for key in told] == ["nets", "hw1", "individual", "aokafor"]
    assert result["submission"].startswith("submit/")
    # The commit's moment, however late it is graded.
    assert result["datetime"] == "2026-10-01T14:32:05Z"
    for entry in (result, *result["tests"]):
        assert type(entry["score"]) is int
        assert type(entry["max-score"]) is int
        assert 0 <= entry["score"] <= entry["max-score"]
    assert result["tests"]
    assert all(test["test-name"] and type(test["passed"]) is bool for test in result["tests"])


def test_classroom50_grades_with_public_checks_alone(runs: Runs) -> None:
    ran = runs("classroom50 graded")
    assert ran.status == 0, ran.err
    assert ran.result is not None
    assert_classroom50_takes(ran.result)
    assert 0 < ran.result["score"] < ran.result["max-score"]
    body = (ran.root / "checkout" / "release-body.md").read_text(encoding="utf-8")
    assert "leaky relu" in body
    assert "Public checks alone" in body


def test_classroom50_unreadable_is_no_vacuous_pass(runs: Runs) -> None:
    ran = runs("classroom50 unreadable")
    assert ran.status == 0, ran.err
    assert ran.result is not None
    assert_classroom50_takes(ran.result)
    assert ran.result["score"] == 0
    assert not any(test["passed"] for test in ran.result["tests"])


def test_classroom50_without_a_verdict_fails(runs: Runs) -> None:
    """Its runner makes an error of that."""
    ran = runs("classroom50 died")
    assert ran.status != 0
    assert ran.result is None


def test_actions_write_the_summary(runs: Runs) -> None:
    """The student's file is found beside the grader's own, and no result of Classroom 50 made."""
    ran = runs("actions unreadable")
    assert ran.status == 0, ran.err
    assert ran.result is None
    summary = (ran.root / "summary.md").read_text(encoding="utf-8")
    assert f"could not be read. {NAME}.py, line 1" in summary
