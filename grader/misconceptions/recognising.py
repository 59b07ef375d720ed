"""An assignment's own tests of a call's record: which of them hold."""

from __future__ import annotations

from collections.abc import Sequence

from grader.misconceptions.case import Case, Match
from grader.misconceptions.source import Place
from grader.observation import Observation


def recognised(case: Case, calls: Sequence[Observation], source_line: str = "") -> list[Match]:
    """The first mistake that the assignment recognises in one of the calls, if any."""
    for recogniser in case.own.recognisers:
        if recogniser.exercise != case.exercise.name:
            continue
        for call in calls:
            try:
                fits = recogniser.test(call, source_line)
            except Exception:
                fits = False
            if fits:
                place: Place | None = None
                if recogniser.at is not None:
                    place = case.source.find(case.exercise.name, recogniser.at)
                return [Match(recogniser.slug, recogniser.account, {}, place)]
    return []
