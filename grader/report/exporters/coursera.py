"""Coursera's `feedback.json`: a fraction and a text.

There is no way to say "could not be read" but 0 and why. Where the grader failed no file is
written: a grader that ends without one is tried again, a zero stays.
"""

from __future__ import annotations

import json

from grader.report.exporters.lines import seen
from grader.report.exporters.numbers import fraction
from grader.report.exporters.records import Exported, Format, Mark, Request, each


def _write(request: Request) -> Exported:
    return each(request, ".json", lambda mark: _feedback(mark, request))


def _feedback(mark: Mark, request: Request) -> bytes:
    view = seen(mark, request.catalogue)
    score = 0.0
    if mark.score is not None and mark.max_score is not None:
        score = fraction(mark.score, mark.max_score, mark.id)
    parts = [view.head]
    parts += [f"{line.name}\n{line.text}" for line in view.lines if not line.passed]
    document = {"fractionalScore": score, "feedback": "\n\n".join(parts)}
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False).encode()


FORMAT = Format("coursera", "Coursera: feedback.json", "each", _write)
