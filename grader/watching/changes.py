"""What is different between two reports of the same student's work."""

from __future__ import annotations

from grader.report.model import ExerciseEntry, FindingEntry, Report
from grader.report.screen import WORDS, points

UNNAMED = "a mistake without a name"


def changes(before: Report, after: Report) -> tuple[str, ...]:
    """A line for each thing that a save changed, in the exercises' order; none where nothing did.

    Reports without a verdict differ in nothing.
    """
    earlier = {exercise.name: exercise for exercise in before.exercises}
    lines: list[str] = []
    for exercise in after.exercises:
        known = earlier.get(exercise.name)
        if known is not None:
            lines += _moved(known, exercise)
            lines += _found(known, exercise)
    return tuple(lines)


def _moved(before: ExerciseEntry, after: ExerciseEntry) -> list[str]:
    if before.score != after.score:
        return [f"{after.name}: {points(before.score)} -> {points(after.score)} points"]
    if before.status != after.status:
        return [f"{after.name}: {WORDS[before.status]} -> {WORDS[after.status]}"]
    return []


def _found(before: ExerciseEntry, after: ExerciseEntry) -> list[str]:
    was, now = _names(before), _names(after)
    gone = [f"gone: {name} in {after.name}" for name in was if name not in now]
    new = [f"new: {name} in {after.name}" for name in now if name not in was]
    return gone + new


def _names(exercise: ExerciseEntry) -> list[str]:
    """The mistakes' names, each once. What has none is one kind: its title holds numbers."""
    return list(dict.fromkeys(_name(found) for found in exercise.findings))


def _name(found: FindingEntry) -> str:
    return found.bug or UNNAMED
