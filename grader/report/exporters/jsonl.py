"""JSON Lines: one line a submission, for whoever reckons on. Nothing of a check's inputs."""

from __future__ import annotations

import json
from typing import Any

from msgspec import to_builtins

from grader.report.exporters.numbers import checked
from grader.report.exporters.records import Exported, Format, Mark, Request


def _write(request: Request) -> Exported:
    lines = [
        json.dumps(_record(mark), ensure_ascii=True, allow_nan=False) for mark in request.marks
    ]
    return Exported((("grades.jsonl", "".join(f"{line}\n" for line in lines).encode()),))


def _record(mark: Mark) -> dict[str, Any]:
    score, most = mark.score, mark.max_score
    if score is not None and most is not None:
        score, most = checked(score, most, mark.id)
    return {
        "submission": mark.id,
        "people": [to_builtins(person) for person in mark.people],
        "status": mark.status,
        "late": mark.late,
        "complete": mark.complete,
        "score": score,
        "max_score": most,
        "exercises": [
            {
                "name": one.name,
                "score": checked(one.score, one.max_score, mark.id)[0],
                "max_score": one.max_score,
                "bugs": _bugs(mark, one.name),
            }
            for one in mark.exercises
        ],
    }


def _bugs(mark: Mark, exercise: str) -> list[str]:
    if mark.document is None:
        return []
    grade = mark.document["grade"]
    rejected = {(one["exercise"], one["rejected"]) for one in grade.get("overrides", ())}
    found = [
        finding["bug"]
        for entry in grade["exercises"]
        if entry["name"] == exercise
        for finding in entry["findings"]
        if finding["bug"] and (exercise, finding["bug"]) not in rejected
    ]
    return list(dict.fromkeys(found))


FORMAT = Format("jsonl", "JSON Lines: one line a submission", "class", _write)
