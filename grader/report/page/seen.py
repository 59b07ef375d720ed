"""From staff's document to what a page says: decided scores, and nothing of hidden checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.misconceptions.catalogue import Misconception
from grader.report.exporters.lines import seen
from grader.report.exporters.records import mark_of

Document = dict[str, Any]

HIDDEN_CHECK = "hidden/"


def seen_document(document: Document, catalogue: Mapping[str, Misconception]) -> Document:
    """A student's view of a document, in which people's decisions count.

    Scores are what counts in the end. Of the decisions themselves there is what was decided and
    why, but not who did, and no name of a hidden check.
    """
    mark = mark_of(document)
    view = seen(mark, catalogue).document
    counts = {one.name: one for one in mark.exercises}
    grade = document["grade"]
    decided = {
        one["exercise"]: {**one, "who": "", "rejected": ""}
        for one in grade.get("overrides", ())
        if one["points"] is not None
    }
    exercises = [
        _counted(entry, counts[entry["name"]], entry["name"] in decided)
        for entry in view["grade"]["exercises"]
    ]
    shown = {
        **view["grade"],
        "exercises": exercises,
        "overrides": list(decided.values()),
        "voided": [
            {**one, "who": "", "check": HIDDEN_CHECK if _hidden(one) else one["check"]}
            for one in grade.get("voided", ())
        ],
    }
    if mark.score is not None and mark.max_score is not None:
        shown |= {"score": mark.score, "max_score": mark.max_score}
    return {**view, "grade": shown}


def _hidden(void: dict[str, Any]) -> bool:
    return str(void["check"]).startswith(HIDDEN_CHECK)


def _counted(entry: dict[str, Any], mark: Any, decided: bool) -> dict[str, Any]:
    if (entry["score"], entry["max_score"]) == (mark.score, mark.max_score):
        return entry
    status = "passed" if mark.score >= mark.max_score else "partial" if mark.score else "failed"
    if entry["status"] == "not_attempted" and not decided:
        status = "not_attempted"
    return {**entry, "score": mark.score, "max_score": mark.max_score, "status": status}
