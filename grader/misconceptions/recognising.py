"""An assignment's own tests of a call's record: which of them hold."""

from __future__ import annotations

from collections.abc import Sequence

from grader.misconceptions.case import Case, Match
from grader.misconceptions.imitation import Recogniser
from grader.misconceptions.source import Place
from grader.observation import Observation


def recognised(case: Case, calls: Sequence[Observation], *, in_all: bool = False) -> list[Match]:
    """The first mistake that the assignment recognises in one of the calls, or in all of them."""
    for recogniser in case.own.recognisers:
        if recogniser.exercise != case.exercise.name or not calls:
            continue
        fits = (_fits(recogniser, call) for call in calls)
        if all(fits) if in_all else any(fits):
            place: Place | None = None
            if recogniser.at is not None:
                place = case.source.find(case.exercise.name, recogniser.at)
            return [Match(recogniser.slug, recogniser.account, {}, place)]
    return []


def _fits(recogniser: Recogniser, call: Observation) -> bool:
    try:
        return bool(recogniser.test(call, ""))
    except Exception:
        return False
