"""What is due: the points that count, for those who have a verdict and were found for certain."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from grader.errors import UsageError
from grader.pushing.recipients import Addressed
from grader.report.exporters.numbers import checked, scaled
from grader.report.exporters.records import Mark

_DIGITS = 5
_LEAST = 1e-4  # below it JSON writes an exponent, which some readers take for another number


class Due(msgspec.Struct, frozen=True):
    """One grade for one user. `score` of `most` is what is sent; `mark` has what it was made of."""

    user: str
    mark: Mark
    shown: str
    score: float
    most: float

    @property
    def line(self) -> str:
        return f"{self.shown} -> {self.user}: {self.score:g} of {self.most:g}"


class Plan(msgspec.Struct, frozen=True):
    """What is to be sent; `problems` are what somebody has to set right first.

    `held` are those who have no verdict that could be sent.
    """

    due: tuple[Due, ...]
    problems: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def planned(found: Addressed, marks: Sequence[Mark], most: float | None = None) -> Plan:
    """What is due. `most` is the platform's own maximum, where it does not scale by itself.

    Those who are held back count when it is asked whether two submissions claim one user.
    """
    why = {mark.id: why_not(mark) for mark in marks}
    held = [f"{mark.shown}: {why[mark.id]}" for mark in marks if why[mark.id]]
    problems = [one.line for one in found.unmatched if not all(why[name] for name in one.ids)]
    due: list[Due] = []
    notes: list[str] = []
    counted = 0
    for claim in found.claims:
        mark = claim.mark
        if why[mark.id] or mark.score is None or mark.max_score is None:
            continue
        try:
            score, top = checked(mark.score, mark.max_score, mark.id)
            if top == 0:
                raise UsageError(f"{mark.id}: there are no points to be had")
            if most is not None and top != most:
                score, top = scaled(score, top, most, mark.id), most
                counted += 1
        except UsageError as error:
            problems.append(str(error))
            continue
        due.append(Due(claim.user, mark, claim.shown, sendable(score), sendable(top)))
        if not looked_at(mark):
            notes.append(f"{claim.shown}: marked for a human look")
    if counted and most is not None:
        notes.append(f"{counted} scaled to the platform's {most:g} points")
    return Plan(tuple(due), tuple(problems), tuple(held), tuple(notes))


def why_not(mark: Mark) -> str:
    """Why nothing of a mark is sent; empty where its points are."""
    if mark.document is None:
        return "not graded yet"
    by_a_person = _all_decided(mark)
    if mark.status != "graded" and not by_a_person:
        return "the grader failed" if mark.status == "grader_failed" else "could not be read"
    if not mark.complete and not by_a_person:
        return "graded by the public checks alone, which is not all of the points"
    if mark.score is None or mark.max_score is None:
        return "has no points"
    return ""


def sendable(points: float) -> float:
    """Points as every reader of JSON takes them: no exponent, no minus zero, five decimals."""
    return round(points, _DIGITS) if points >= _LEAST else 0.0


def looked_at(mark: Mark) -> bool:
    """Whether no person's look is outstanding."""
    review = bool(mark.document and mark.document["grade"].get("review"))
    return not review or _decided(mark)


def _decided(mark: Mark) -> bool:
    return bool(_points_by_a_person(mark))


def _all_decided(mark: Mark) -> bool:
    names = {one.name for one in mark.exercises}
    return bool(names) and names <= _points_by_a_person(mark)


def _points_by_a_person(mark: Mark) -> set[str]:
    grade = mark.document["grade"] if mark.document else {}
    decisions = grade.get("overrides", ())
    return {one["exercise"] for one in decisions if one["points"] is not None}
