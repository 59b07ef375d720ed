"""What counts in the end: the grader's result, less voided checks, with a TA's decisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from grader.classroom.store import Override, Result, Void


class ExerciseScore(msgspec.Struct, frozen=True):
    """One exercise: what the grader gave and what counts; equal where nobody decided otherwise."""

    name: str
    graded: float
    score: float
    max_score: float
    overridden: bool = False


class Scores(msgspec.Struct, frozen=True):
    """One submission's exercises and their sum."""

    exercises: tuple[ExerciseScore, ...]

    @property
    def score(self) -> float:
        return sum(one.score for one in self.exercises)

    @property
    def max_score(self) -> float:
        return sum(one.max_score for one in self.exercises)


def scores_of(result: Result, overrides: Sequence[Override], voids: Sequence[Void]) -> Scores:
    """The scores that count. A voided check takes its points from earned and possible alike."""
    voided = {void.check for void in voids}
    decided = {
        one.exercise: one.points for one in overrides if one.points is not None
    }  # the newest holds: overrides come oldest first
    found = []
    for exercise in result.document["grade"]["exercises"]:
        name, graded, most = exercise["name"], exercise["score"], exercise["max_score"]
        score = graded
        for test in result.document["tests"]:
            about = test["metadata"]
            if about["exercise"] == name and test["nodeid"] in voided:
                score -= about["earned"]
                most -= about["points"]
        if name in decided:
            score = decided[name]
        found.append(ExerciseScore(name, graded, score, most, name in decided))
    return Scores(tuple(found))


def with_decisions(
    result: Result, overrides: Sequence[Override], voids: Sequence[Void]
) -> dict[str, Any]:
    """The document with what was decided about it; the grader's own scores stay as they were."""
    known = {test["nodeid"] for test in result.document["tests"]}
    voided = [void for void in voids if void.check in known]
    if not overrides and not voided:
        return result.document
    scores = scores_of(result, overrides, voids)
    grade = dict(result.document["grade"])
    grade["overrides"] = [
        {"exercise": one.exercise, "points": one.points, "rejected": one.rejected,
         "why": one.why, "who": one.who, "at": one.at}
        for one in overrides
    ]  # fmt: skip
    grade["voided"] = [
        {"check": one.check, "why": one.why, "who": one.who, "at": one.at} for one in voided
    ]
    grade["final_score"] = scores.score
    grade["final_max_score"] = scores.max_score
    return {**result.document, "grade": grade}
