"""Classroom 50: `classroom50/result/v1`, a closed object with whole numbers alone.

Points with fractions are multiplied until they are whole, and the factor is said. What only the
host knows (owner, commit, release ...) is told with --set.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from grader.errors import UsageError
from grader.report.exporters.lines import seen
from grader.report.exporters.numbers import checked, whole_factor
from grader.report.exporters.records import Exported, Format, Mark, Request, each

_TOLD = ("classroom", "owner", "submission", "commit", "release", "review")
_TYPES = ("individual", "group", "team")


def _write(request: Request) -> Exported:
    missing = [name for name in _TOLD if name not in request.settings]
    if missing:
        raise UsageError(
            f"Classroom 50 wants to know {', '.join(missing)}", "Tell it: --set NAME=VALUE."
        )
    if not request.settings["submission"].startswith("submit/"):
        raise UsageError("a submission of Classroom 50 begins with submit/")
    if request.settings.get("assignment_type", "individual") not in _TYPES:
        raise UsageError(f"assignment_type is one of {', '.join(_TYPES)}")
    if len(request.marks) != 1:
        raise UsageError("Classroom 50 takes one submission at a time", "Give its report.")
    numbers = [n for mark in request.marks for n in (mark.score, mark.max_score) if n is not None]
    for mark in request.marks:
        if mark.document is not None:
            view = seen(mark, request.catalogue)
            numbers += [n for line in view.lines for n in (line.earned, line.points)]
    factor = whole_factor(numbers)
    made = each(request, ".json", lambda mark: _result(mark, request, factor))
    said = (f"all points are multiplied by {factor}: whole numbers are needed",)
    return Exported(made.parts, made.unmatched, made.said + (said if factor != 1 else ()))


def _result(mark: Mark, request: Request, factor: int) -> bytes:
    view = seen(mark, request.catalogue)
    told = request.settings
    score, most = _whole(mark.score or 0.0, mark.max_score or 0.0, factor, mark.id)
    when = datetime.fromtimestamp(mark.when, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    tests: list[dict[str, Any]] = []
    for line in view.lines:
        earned, points = _whole(line.earned, line.points, factor, line.name)
        tests.append(
            {"test-name": line.name, "passed": line.passed, "score": earned, "max-score": points}
        )
    if mark.status == "unreadable":
        # No test at all would count as all of them passed.
        name = "the submission can be read"
        tests.append({"test-name": name, "passed": False, "score": 0, "max-score": most})
    result = {
        "schema": "classroom50/result/v1",
        "classroom": told["classroom"],
        "assignment": told.get("assignment", request.name),
        "assignment_type": told.get("assignment_type", "individual"),
        "owner": told["owner"],
        "submission": told["submission"],
        "commit": told["commit"],
        "release": told["release"],
        "review": told["review"],
        "datetime": when,
        "score": score,
        "max-score": most,
        "tests": tests,
    }
    return json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False).encode()


def _whole(score: float, most: float, factor: int, where: str) -> tuple[int, int]:
    score, most = checked(score, most, where)
    return round(score * factor), round(most * factor)


FORMAT = Format("classroom50", "Classroom 50: result/v1", "each", _write)
