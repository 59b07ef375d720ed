"""CodeGrade: JSON lines, one of checks by exercise and one with the points."""

from __future__ import annotations

import json
from typing import Any

from grader.report.exporters.lines import Line, seen
from grader.report.exporters.numbers import checked, written
from grader.report.exporters.records import Exported, Format, Mark, Request, each


def _write(request: Request) -> Exported:
    return each(request, ".jsonl", lambda mark: _lines(mark, request))


def _lines(mark: Mark, request: Request) -> bytes:
    view = seen(mark, request.catalogue)
    by_exercise: dict[str, list[Line]] = {}
    for line in view.lines:
        by_exercise.setdefault(line.exercise, []).append(line)
    suites: list[dict[str, Any]] = [
        {"id": name, "name": name, "testCases": [_case(line) for line in lines]}
        for name, lines in by_exercise.items()
    ]
    if mark.status == "unreadable":
        case = {"name": "can be read", "status": "failure", "reason": view.head}
        suites.append({"id": "submission", "name": "submission", "testCases": [case]})
    score, most = checked(mark.score or 0.0, mark.max_score or 0.0, mark.id)
    records = [
        {"tag": "unit-test", "results": suites},
        # Of no points at all a part cannot be taken: 0 of 1 says the same.
        {"tag": "points", "points": f"{written(score)}/{written(most or 1.0)}"},
    ]
    lines = [json.dumps(record, ensure_ascii=False, allow_nan=False) for record in records]
    # These end a line for some readers, and JSON lets them stand.
    text = "\n".join(lines).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return text.replace("\u0085", "\\u0085").encode() + b"\n"


def _case(line: Line) -> dict[str, Any]:
    # A check that gives part of its points is a failure here: the points are in the other line.
    case: dict[str, Any] = {
        "name": line.name,
        "status": "success" if line.passed else "failure",
        "weight": line.points,
    }
    return case | ({"reason": line.text} if line.text else {})


FORMAT = Format("codegrade", "CodeGrade: JSON lines", "each", _write)
