"""Gradescope's `results.json`.

What a hidden check gave is shown after the grades are published: before that a student could try
until it passes. No file is written where the grader failed, so that Gradescope says so itself.
"""

from __future__ import annotations

import json
from typing import Any

from grader.report.exporters.lines import Line, seen
from grader.report.exporters.numbers import checked
from grader.report.exporters.records import Exported, Format, Mark, Request, each


def _write(request: Request) -> Exported:
    return each(request, ".json", lambda mark: _results(mark, request))


def _results(mark: Mark, request: Request) -> bytes:
    view = seen(mark, request.catalogue)
    score, _ = checked(mark.score or 0.0, mark.max_score or 0.0, mark.id)
    grade = view.document["grade"]
    results: dict[str, Any] = {
        "score": score,
        "execution_time": round(float(grade["duration"]), 3),
        "output": view.head.replace("\0", ""),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [_test(str(number), line) for number, line in enumerate(view.lines, 1)],
        "extra_data": {
            "format": grade["format"],
            "assignment": grade["assignment"]["name"],
            "digest": grade["assignment"]["digest"],
            "seed": grade["seed"],
        },
    }
    return json.dumps(results, indent=2, ensure_ascii=False, allow_nan=False).encode()


def _test(number: str, line: Line) -> dict[str, Any]:
    score, most = checked(line.earned, line.points, line.name)
    return {
        "number": number,
        "name": line.name,
        "score": score,
        "max_score": most,
        "status": "passed" if line.passed else "failed",
        "output": line.text,
        "tags": [line.exercise],
        "visibility": "after_published" if line.hidden else "visible",
    }


FORMAT = Format("gradescope", "Gradescope: results.json", "each", _write)
