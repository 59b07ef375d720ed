"""The JSON document: what pytest-json-report writes, and one key more, "grade".

The plugin makes it through its own hooks, from the reports that count: where a check ran again
with a library piece standing in, those of the better run. A plugin object serves one submission.
"""

from __future__ import annotations

import copy
import json
import time
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from pytest_jsonreport.plugin import JSONReport

from grader.checking.judging import CheckResult, ExerciseResult, Judgement
from grader.report.model import Report
from grader.report.plain import plain

Document = dict[str, Any]

_EXIT_WITHOUT_VERDICT = {
    "unreadable": pytest.ExitCode.NO_TESTS_COLLECTED,
    "grader_failed": pytest.ExitCode.INTERNAL_ERROR,
}


class _Plugin(JSONReport):  # type: ignore[misc]
    """The plugin, for one submission among many: registered late, and taken out again."""

    def pytest_addhooks(self, pluginmanager: pytest.PytestPluginManager) -> None:
        """Nothing: the hooks are declared once a session, where the checks are collected."""

    def pytest_configure(self, config: pytest.Config) -> None:
        """Nothing: the configuration is known, and the session's own plugin is another."""

    def _must_omit(self, key: str) -> bool:
        # Keywords hold names of folders and checks; the rest would hold tracebacks.
        return True


def make_document(report: Report, judgement: Judgement, config: pytest.Config) -> Document:
    """The document of a judged submission. Call it inside the body of `with_checks`."""
    plugin = _Plugin(config)
    tests = [(outcome, result) for outcome in judgement.exercises for result in outcome.results]
    lost = any(_lost(outcome, result) for outcome, result in tests)
    code = pytest.ExitCode.TESTS_FAILED if lost else pytest.ExitCode.OK
    session = SimpleNamespace(testscollected=len(tests), exitstatus=int(code), fspath="")
    config.pluginmanager.register(plugin)
    try:
        plugin.pytest_sessionstart(session)
        for outcome, result in tests:
            for stage in _stages(outcome, result):
                plugin.pytest_runtest_logreport(stage)
        plugin.pytest_sessionfinish(session)
    finally:
        config.pluginmanager.unregister(plugin)
    document: Document = plugin.report
    return _finished(document, report)


def bare_document(report: Report) -> Document:
    """The document of a submission without a verdict: the same keys, and no tests."""
    code = _EXIT_WITHOUT_VERDICT.get(report.status, pytest.ExitCode.OK)
    document: Document = {
        "created": time.time(),
        "exitcode": int(code),
        "root": "",
        "summary": {"total": 0, "collected": 0},
        "tests": [],
    }
    return _finished(document, report)


def dump(document: Document) -> bytes:
    """The document as UTF-8, two blanks a level, keys in the order in which they are made."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def without_times(document: Document) -> Document:
    """A copy without what differs between two runs on the same submission: times."""
    rest = {key: value for key, value in document.items() if key not in ("created", "duration")}
    rest["tests"] = [
        {
            key: {name: fact for name, fact in stage.items() if name != "duration"}
            if key in ("setup", "call", "teardown")
            else stage
            for key, stage in test.items()
        }
        for test in document["tests"]
    ]
    rest["grade"] = {key: value for key, value in document["grade"].items() if key != "duration"}
    return rest


def grade_of(document: Document) -> Report:
    """The report in a document. Raises msgspec.ValidationError where that is none of ours."""
    return msgspec.convert(document.get("grade"), Report)


def _finished(document: Document, report: Report) -> Document:
    summary = document["summary"]
    return {
        "created": document["created"],
        "duration": report.duration,
        "exitcode": document["exitcode"],
        "root": document["root"],
        "environment": dict(report.versions),
        "summary": {key: summary[key] for key in sorted(summary)},
        "tests": plain(document["tests"]),
        "grade": plain(msgspec.to_builtins(report)),
    }


def _lost(outcome: ExerciseResult, result: CheckResult) -> bool:
    return outcome.banned is not None or result.lost


def _stages(outcome: ExerciseResult, result: CheckResult) -> list[pytest.TestReport]:
    """Copies of the check's reports, told apart from pytest's own view in two things.

    Their names hold no path, and they fail exactly where points were lost: a check may give part
    of its points, and a banned call takes those of its whole exercise.
    """
    check, lost = result.check, _lost(outcome, result)
    metadata = {
        "exercise": check.exercise,
        "title": check.title,
        "points": check.points,
        "earned": 0.0 if outcome.banned is not None else result.earned,
        "visibility": check.visibility,
        "follow_through": list(result.stand_ins),
    }
    stages = [copy.copy(report) for report in result.reports]
    failed = any(stage.outcome == "failed" for stage in stages)
    for stage in stages:
        stage.nodeid = check.id
        stage.longrepr = None
        stage.sections = []
        stage.user_properties = []
        if not lost:
            stage.outcome = "passed"
        elif stage.when == "call" and not failed:
            stage.outcome = "failed"
        stage._json_report_extra = {"metadata": metadata}  # type: ignore[attr-defined]
    return stages
