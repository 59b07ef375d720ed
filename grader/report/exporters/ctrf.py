"""CTRF: a closed schema, whole milliseconds; points go into `extra`."""

from __future__ import annotations

import json
from typing import Any

import grader
from grader.report.exporters.lines import Line, seen
from grader.report.exporters.numbers import checked
from grader.report.exporters.records import Exported, Format, Mark, Request, each


def _write(request: Request) -> Exported:
    return each(request, ".json", lambda mark: _report(mark, request))


def _report(mark: Mark, request: Request) -> bytes:
    view = seen(mark, request.catalogue)
    passed = sum(line.passed for line in view.lines)
    tests = [_test(line) for line in view.lines]
    if mark.status == "unreadable":
        name = "submission: can be read"
        tests.append({"name": name, "status": "failed", "duration": 0, "message": view.head})
    start = round(mark.when * 1000)
    report = {
        "reportFormat": "CTRF",
        "specVersion": "0.0.0",
        "results": {
            "tool": {"name": "autograd-grader", "version": grader.__version__},
            "summary": {
                "tests": len(tests),
                "passed": passed,
                "failed": len(tests) - passed,
                "skipped": 0,
                "pending": 0,
                "other": 0,
                "start": start,
                "stop": start + sum(test["duration"] for test in tests),
                "extra": _points(mark),
            },
            "tests": tests,
        },
    }
    return json.dumps(report, indent=2, ensure_ascii=False, allow_nan=False).encode()


def _test(line: Line) -> dict[str, Any]:
    points, most = checked(line.earned, line.points, line.name)
    test: dict[str, Any] = {
        "name": line.name,
        "status": "passed" if line.passed else "failed",
        "duration": round(line.seconds * 1000),
        "suite": [line.exercise],
        "extra": {"points": points, "max_points": most},
    }
    return test | ({"message": line.text} if line.text else {})


def _points(mark: Mark) -> dict[str, Any]:
    if mark.score is None or mark.max_score is None:
        return {"status": mark.status}
    score, most = checked(mark.score, mark.max_score, mark.id)
    return {"status": mark.status, "points": score, "max_points": most}


FORMAT = Format("ctrf", "CTRF: common test report", "each", _write)
