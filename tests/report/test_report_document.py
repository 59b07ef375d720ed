"""The JSON document: what readers of pytest-json-report expect, and nothing that would leak."""

from __future__ import annotations

import json
from pathlib import Path

from grader.report.document import dump, grade_of, without_times

ROOT = Path(__file__).resolve().parents[2]


def test_totals_agree_with_the_tests(runs):
    for run in runs.values():
        document = run.document
        outcomes = [test["outcome"] for test in document["tests"]]
        summary = dict(document["summary"])
        assert summary.pop("total") == summary.pop("collected") == len(outcomes) > 3
        assert summary == {name: outcomes.count(name) for name in set(outcomes)}
        assert document["exitcode"] == int("failed" in outcomes)


def test_points_of_the_tests_add_up_to_the_exercises(runs):
    for run in runs.values():
        for exercise in run.report.exercises:
            facts = [
                test["metadata"]
                for test in run.document["tests"]
                if test["metadata"]["exercise"] == exercise.name
            ]
            assert sum(fact["points"] for fact in facts) == exercise.max_score
            assert sum(fact["earned"] for fact in facts) == exercise.score


def test_a_test_fails_exactly_where_points_were_lost(runs):
    for run in runs.values():
        for test in run.document["tests"]:
            lost = test["metadata"]["earned"] < test["metadata"]["points"]
            assert test["outcome"] == ("failed" if lost else "passed")
            stages = [test[name]["outcome"] for name in ("setup", "call", "teardown")]
            assert ("failed" in stages) == lost


def test_fates(runs):
    def statuses(name):
        return {exercise.name: exercise.status for exercise in runs[name].report.exercises}

    assert set(statuses("reference").values()) == {"passed"}
    assert runs["reference"].report.full_marks
    assert runs["reference"].report.complete
    assert set(statuses("stub").values()) == {"not_attempted"}
    assert runs["stub"].report.score == 0
    assert statuses("float64")["logistic"] == "partial"
    assert statuses("banned")["relu"] == "failed"
    assert statuses("notebook")["sgd"] == "partial"


def test_an_exercise_that_lost_points_has_something_to_say(runs):
    lost = [
        exercise
        for run in runs.values()
        for exercise in run.report.exercises
        if exercise.status in ("partial", "failed")
    ]
    assert len(lost) >= 3
    assert all(exercise.findings for exercise in lost)


def test_follow_through_shows_in_test_and_exercise(runs):
    report, document = runs["float64"].report, runs["float64"].document
    forward = next(exercise for exercise in report.exercises if exercise.name == "forward")
    assert forward.stood_in == ("logistic",)
    assert forward.status == "passed"
    stood_in = [test for test in document["tests"] if test["metadata"]["follow_through"]]
    assert stood_in
    assert all(test["outcome"] == "passed" for test in stood_in)


def test_two_runs_differ_in_times_alone(runs):
    for name in ("float64", "banned"):
        first, second = runs[name].document, runs[name].again
        assert first["created"] != second["created"]
        assert dump(without_times(first)) == dump(without_times(second))


def test_no_path_and_no_traceback_in_a_document(runs):
    for run in runs.values():
        text = dump(run.document).decode()
        for place in (str(ROOT), str(Path.home()), "site-packages", "solutions/", "Traceback"):
            assert place not in text
        assert run.document["root"] == ""
        assert "collectors" not in run.document
        assert "warnings" not in run.document
        for test in run.document["tests"]:
            assert test["nodeid"].startswith(("checks/test_", "hidden/test_"))
            assert set(test) <= {
                "nodeid", "lineno", "outcome", "metadata", "setup", "call", "teardown"
            }  # fmt: skip
            assert all(
                set(test[stage]) == {"duration", "outcome"}
                for stage in ("setup", "call", "teardown")
            )


def test_dump_is_valid_json_without_nan_and_reads_back(runs):
    def refuse(name):
        raise AssertionError(f"{name} is no JSON")

    for run in runs.values():
        read = json.loads(dump(run.document), parse_constant=refuse)
        assert read == run.document
        assert grade_of(read).score == run.report.score
    finding = runs["float64"].document["grade"]["exercises"][1]["findings"][0]
    assert finding["evidence"]["worst"] == "nan"


def test_a_notebook_is_told_by_cell(runs):
    report = runs["notebook"].report
    assert report.submission.files[0].name == runs["notebook"].path.name
    assert report.submission.id == runs["notebook"].path.stem


def test_without_hidden_checks_and_some_exercises_it_is_not_complete(runs):
    report = runs["public"].report
    assert [exercise.name for exercise in report.exercises] == ["relu", "logistic"]
    assert report.left_out == ("cross_entropy", "forward", "sgd", "init_params", "train")
    assert not report.complete
    assert report.score == report.max_score == 4
    assert report.possible == 2
    assert [exercise.possible for exercise in report.exercises] == [1, 1]
    assert {test["metadata"]["visibility"] for test in runs["public"].document["tests"]} == {
        "visible"
    }
