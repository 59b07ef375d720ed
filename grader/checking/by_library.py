"""Whether an exercise was done with the library's pieces: a call is made again, and watched.

The worker has those pieces refuse; where none of them is met in a call that went well, the work
was done by something else. What the exercise returned (a module, a loss) is called, where the
checks called it; else the exercise's own function is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from grader.assignment import Exercise
from grader.checking.recalling import digest
from grader.observation import BannedCall, Observation
from grader.student.handles import CALL, Handle
from grader.student.proxy import Student

if TYPE_CHECKING:
    from grader.checking.collection import Bench
    from grader.checking.judging import ExerciseResult

WITHOUT = "without "  # in the place of a banned call's name: this one was missed


def look_for_missing(outcome: ExerciseResult, bench: Bench, student: Student) -> None:
    """Zero an exercise that earned points where no piece that it requires is met."""
    exercise = outcome.exercise
    if not exercise.required or not outcome.score:
        return

    def live() -> tuple[BannedCall, Observation] | None:
        calls = [call for result in outcome.results for call in result.calls]
        return find_missing(exercise, calls, student)

    student.begin(f"by library {exercise.name}")
    asked = digest([exchange for result in outcome.results for exchange in result.exchanges])
    key = "by library", exercise.name, bench.seed, asked
    found, _ = bench.recalling.run(key, student, live, keep=lambda outcome: outcome is None)
    if found is not None:
        outcome.banned, outcome.banned_call = found


def find_missing(
    exercise: Exercise, calls: Sequence[Observation], student: Student
) -> tuple[BannedCall, Observation] | None:
    """(what is missing, the call in which it is) where no required piece is met."""
    went_well = [call for call in calls if call.raised is None]
    if exercise.kind == "object":
        chosen = [call for call in went_well if _is_use(call, exercise.name)][-1:]
    else:
        chosen = [call for call in went_well if _did_something(call, exercise)][-1:]
    for call in chosen:
        _set_back(call)
        record = student.run(call.function, call.args, call.kwargs, banned=exercise.required)
        if not record.banned and record.raised is None:
            return BannedCall(WITHOUT + exercise.required[0], []), record
    return None


def _set_back(call: Observation) -> None:
    """Put a check's own model back to what it was before the call."""
    for thing in call.args:
        seen = call.module(thing) if isinstance(thing, Handle) and thing.blueprint else None
        if seen is not None:
            thing.set_parameters(seen.before)


def _did_something(call: Observation, exercise: Exercise) -> bool:
    """A training that moved nothing was done by nobody, by hand or otherwise."""
    moves = exercise.kind != "training" or any(seen.moved for seen in call.modules)
    return call.function == exercise.name and moves


def _is_use(call: Observation, name: str) -> bool:
    thing = call.args[0] if call.function == CALL and call.args else None
    return isinstance(thing, Handle) and thing.origin == name
