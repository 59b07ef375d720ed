"""Advice: worth knowing, costs nothing.

What the syntax tree shows is read off it; whether a formula survives large inputs and the edges
of its domain is asked of the function itself, in one call each, and only where it earned points.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from grader.assignment import Exercise
from grader.checking.failure import number
from grader.checking.judging import ExerciseResult, Judgement
from grader.misconceptions.catalogue import Misconception
from grader.misconceptions.finding import Advice
from grader.misconceptions.habits import HABITS, Habit
from grader.misconceptions.imitation import OwnMisconceptions
from grader.misconceptions.source import Place, Source, dotted
from grader.student.proxy import Student
from grader.submission import display_place

LARGE = (-1000.0, -100.0, 100.0, 1000.0)
OVERFLOWS = "overflows-for-large-x"


def advise(
    judgement: Judgement,
    cells: Sequence[tuple[str, str]],
    *,
    own: OwnMisconceptions,
    library: types.ModuleType,
    catalogue: Mapping[str, Misconception],
) -> dict[str, list[Advice]]:
    """Advice by exercise, each slug once an exercise; only for what was attempted."""
    attempted = [e for e in judgement.exercises if e.status != "not_attempted"]
    if not attempted:
        return {}
    source = Source(cells)
    advice: dict[str, list[Advice]] = {}
    habits = [habit for habit in HABITS if source.mentions(habit.word)]
    for outcome in attempted:
        found = _habits(outcome, source, habits)
        if outcome.score > 0 and not _stopped(outcome):
            found += _large(outcome.exercise, judgement.student, library, source)
            found += _edges(outcome.exercise, judgement.student, library, source, own)
        said = [
            _advice(catalogue[slug], place, fact) for slug, (place, fact) in _first(found).items()
            if slug in catalogue
        ]  # fmt: skip
        if said:
            advice[outcome.exercise.name] = said
    return advice


Found = tuple[str, Place | None, str]


def _first(found: Sequence[Found]) -> dict[str, tuple[Place | None, str]]:
    """One place a slug: the first."""
    first: dict[str, tuple[Place | None, str]] = {}
    for slug, place, fact in found:
        first.setdefault(slug, (place, fact))
    return first


def _advice(entry: Misconception, place: Place | None, fact: str) -> Advice:
    cell, line = display_place(place.filename, place.line) if place is not None else (None, None)
    told = f"{entry.title}: {fact}" if fact else entry.title
    return Advice(entry.slug, f"{told}. {entry.why}", line, cell)


def _stopped(outcome: ExerciseResult) -> bool:
    return any(result.stopped for result in outcome.results)


def _habits(outcome: ExerciseResult, source: Source, habits: Sequence[Habit]) -> list[Found]:
    found = source.function(outcome.exercise.name)
    if found is None:
        return []
    filename, function = found
    return [
        (habit.slug, Place(filename, line), "")
        for habit in habits
        if outcome.exercise.kind in habit.kinds
        and (outcome.score > 0 or not habit.only_where_right)
        and (line := habit.line(function)) is not None
    ]


def _large(
    exercise: Exercise, student: Student, library: types.ModuleType, source: Source
) -> list[Found]:
    """NaN as value or gradient at large inputs, where the library's piece has none."""
    if exercise.kind != "function" or exercise.signature.count(",") > 0:
        return []
    x = torch.tensor(LARGE, requires_grad=True)
    right = getattr(library, exercise.name, None)
    if right is None:
        return []
    student.begin(f"advice {exercise.name}")
    try:
        value = student.run(exercise.name, [x]).returned
        if not isinstance(value, torch.Tensor) or value.shape != x.shape:
            return []
        due = right(x)
        grad = _gradient(value, x)
        due_grad = _gradient(due, x)
    except Exception:
        return []  # whatever it does there is no matter for advice
    for what, got, want in (("value", value, due), ("gradient", grad, due_grad)):
        if got is None or want is None:
            continue
        bad = got.detach().isnan() & torch.isfinite(want.detach())
        if bool(bad.any()):
            at = [LARGE[i] for i in torch.nonzero(bad).reshape(-1).tolist()]
            fact = f"at {' and '.join(number(one) for one in at)} its {what} is NaN"
            return [(OVERFLOWS, _line_calling(source, exercise.name, "exp"), fact)]
    return []


def _gradient(value: torch.Tensor, x: torch.Tensor) -> torch.Tensor | None:
    if not value.requires_grad:
        return None
    (grad,) = torch.autograd.grad(value.sum(), [x], allow_unused=True)
    return grad


def _edges(
    exercise: Exercise,
    student: Student,
    library: types.ModuleType,
    source: Source,
    own: OwnMisconceptions,
) -> list[Found]:
    """What the assignment asks about the edges of an exercise's domain."""
    found: list[Found] = []
    for slug, args in own.edges(exercise.name) if own.edges is not None else ():
        student.begin(f"edge {exercise.name}")
        try:
            got = student.run(exercise.name, list(args)).returned
            due = getattr(library, exercise.name)(*args)
        except Exception:
            continue
        if not isinstance(got, torch.Tensor) or _finite(got) or not _finite(due):
            continue
        flat = got.detach().reshape(-1)
        bad = number(float(flat[~torch.isfinite(flat)][0])).replace("nan", "NaN")
        fact = f"at the edge of its range it gives {bad}, not {number(_one(due))}"
        found.append((slug, _line_calling(source, exercise.name, "log"), fact))
    return found


def _finite(tensor: torch.Tensor) -> bool:
    return bool(torch.isfinite(tensor.detach()).all())


def _one(tensor: Any) -> float:
    return float(tensor.detach().reshape(-1)[0])


def _line_calling(source: Source, name: str, called: str) -> Place | None:
    """The first line that calls something of this name, else the function's."""

    def calls(node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and dotted(node.func).rsplit(".", 1)[-1].startswith(
            called
        )

    place = source.find(name, calls) or source.only_statement(name) or source.function_place(name)
    return Place(place.filename, place.line) if place is not None else None
