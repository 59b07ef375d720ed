"""PrairieLearn's external grader: `results.json`.

A score outside of 0 to 1 counts as "not gradable", and one test without points hides those of all.
What could not be read is not gradable, which uses up no attempt.
"""

from __future__ import annotations

import json
from typing import Any

from grader.errors import UsageError
from grader.report.exporters.lines import Line, seen
from grader.report.exporters.numbers import checked, fraction
from grader.report.exporters.records import Exported, Format, Mark, Request, each

_MOST_BYTES = 1 << 20  # above it the job fails


def _write(request: Request) -> Exported:
    return each(request, ".json", lambda mark: _results(mark, request))


def _results(mark: Mark, request: Request) -> bytes:
    view = seen(mark, request.catalogue)
    results: dict[str, Any]
    if mark.score is None or mark.max_score is None:
        results = {"gradable": False, "format_errors": [view.head], "message": view.head}
    else:
        results = {
            "gradable": True,
            "score": fraction(mark.score, mark.max_score, mark.id),
            "message": view.head,
            "output": "",
            "images": [],
            "tests": [_test(line) for line in view.lines],
        }
    data = json.dumps(results, indent=2, ensure_ascii=False, allow_nan=False).encode()
    if len(data) >= _MOST_BYTES:
        raise UsageError(f"{mark.id}: the results have {len(data)} bytes, PrairieLearn takes 1 MiB")
    return data


def _test(line: Line) -> dict[str, Any]:
    points, most = checked(line.earned, line.points, line.name)
    return {
        "name": line.name,
        "description": line.exercise,
        "points": points,
        "max_points": most,
        "message": line.text,
        "output": "",
        "images": [],
    }


FORMAT = Format("prairielearn", "PrairieLearn: results.json", "each", _write)
