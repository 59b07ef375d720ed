"""Which exercises of a judged submission get pictures, and asking a worker for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from grader.checking.judging import ExerciseResult, Judgement
from grader.report.pictures.collecting import Maker, collect_pictures
from grader.report.pictures.records import Picture
from grader.student.proxy import Student

Wanted = Literal["none", "lost", "all"]

SECONDS = 4.0  # for all pictures of a submission
CALL_SECONDS = 1.5

# What goes wrong in these ways shows in a picture: values, not types, errors or missing graphs.
_VISIBLE = frozenset({"values", "step", "losses", "plain"})


def pictures_for(
    judgement: Judgement,
    makers: dict[str, list[Maker]],
    wanted: Wanted,
    start: Callable[[], Student],
    oracle: Any,
) -> dict[str, tuple[Picture, ...]]:
    """The pictures of a submission, by exercise.

    "all" are those of every exercise that was attempted; "lost" only those that show a mistake.
    `start` gives the submission in a worker that no check ran in: what a hidden check gave to a
    function must not come out of a picture.
    """
    if wanted == "none":
        return {}
    chosen = [
        outcome.exercise.name
        for outcome in judgement.exercises
        if outcome.exercise.name in makers
        and (_shows_a_mistake(outcome) if wanted == "lost" else outcome.status != "not_attempted")
    ]
    if not chosen:
        return {}
    student = start()
    try:
        return collect_pictures(makers, chosen, student, oracle)
    finally:
        student.close()


def _shows_a_mistake(outcome: ExerciseResult) -> bool:
    if outcome.banned is not None:
        return False
    failures = (result.failure for result in outcome.results if result.lost)
    return any(failure is not None and failure.kind in _VISIBLE for failure in failures)
