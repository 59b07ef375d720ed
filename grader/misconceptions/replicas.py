"""Wrong answers about modules: run here on a replica of the model that the submission was given.

An imitation of an exercise that takes a model gets one of `torch.nn`, made of the same layers and
numbers; of an exercise that returns an object, it gets what that object was called with, and then
the object's parameters by name, if it has any.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from grader.checking.draw import Draw
from grader.errors import StudentError
from grader.misconceptions.case import Case, Match
from grader.misconceptions.imitation import Imitation
from grader.misconceptions.numbers import close, same_values
from grader.misconceptions.source import Place
from grader.observation import Observation
from grader.student.handles import CALL, Blueprint, Handle, sequential

MOST_CALLS = 12


def match_replicas(case: Case, place: Place | None = None) -> list[Match]:
    """The imitations that give what the submission gave in every call seen, and in further ones.

    They are shown at `place` where they say no line of their own.
    """
    seen = judged_calls(case)
    if not seen:
        return []
    fits = [one for one in case.own.of(case.exercise.name) if _fits(case, one, seen)]
    if not fits:
        return []
    more = _further(case)
    fits = [one for one in fits if _fits(case, one, more)]
    if len({one.slugs for one in fits}) != 1:
        return []
    one = fits[0]
    line = case.source.find(case.exercise.name, one.at) if one.at is not None else None
    evidence = {"calls_matched": len(seen) + len(more)}
    return [
        Match(slug, one.account, dict(evidence), line or place or case.whole_function())
        for slug in one.slugs
    ]


def judged_calls(case: Case) -> list[Observation]:
    """The calls whose outcome an imitation can be compared with."""
    found = [
        call
        for result in case.outcome.results
        for call in result.calls
        if call.raised is None and _comparable(case, call)
    ]
    return found[:MOST_CALLS]


def _comparable(case: Case, call: Observation) -> bool:
    first = call.args[0] if call.args else None
    if case.exercise.kind == "object":
        return call.function == CALL and isinstance(first, Handle) and (
            first.origin == case.exercise.name
        )  # fmt: skip
    if call.function != case.exercise.name or not isinstance(first, Handle):
        return False
    return first.blueprint is not None and call.module(first) is not None


def _fits(case: Case, one: Imitation, calls: Sequence[Observation]) -> bool:
    return all(_agrees(case, one, call) for call in calls)


def _agrees(case: Case, one: Imitation, call: Observation) -> bool:
    model = call.args[0]
    found = call.module(model)
    pieces = [case.library] if one.pieces else []
    rest = [_bare(arg) for arg in call.args[1:]]
    try:
        if case.exercise.kind == "object":
            known = found is not None and bool(found.names)
            last = [dict(zip(found.names, found.after, strict=True))] if found and known else []
            return _same(call.returned, one.function(*pieces, *rest, *last))
        if found is None:
            return False
        replica = model.blueprint.build(found.before)
        wrong = one.function(*pieces, replica, *rest)
    except Exception:
        return False
    moved = [p.detach() for p in replica.parameters()]
    if len(moved) != len(found.after):
        return False
    together = all(
        close(a, b, rtol=1e-3, atol=2e-4) for a, b in zip(found.after, moved, strict=True)
    )
    return together and _same(call.returned, wrong)


def _same(got: Any, want: Any) -> bool:
    if isinstance(want, torch.Tensor):
        return isinstance(got, torch.Tensor) and same_values(got, want.detach())
    if isinstance(want, list | tuple):
        if not isinstance(got, list | tuple) or len(got) != len(want):
            return False
        return all(_same(a, b) for a, b in zip(got, want, strict=True))
    if isinstance(want, int | float) and isinstance(got, int | float):
        a, b = float(got), float(want)
        return a == b or abs(a - b) <= 1e-3 * max(1.0, abs(b)) or (a != a and b != b)
    return want is None and got is None


def _further(case: Case) -> list[Observation]:
    """Calls on inputs of the assignment's own, on which its wrong answers differ."""
    if case.own.inputs is None:
        return []
    case.student.begin(f"tell apart {case.exercise.name}")
    draw = Draw(case.assignment.seed, f"tell apart {case.exercise.name}")
    found: list[Observation] = []
    for args in case.own.inputs(case.exercise.name, draw):
        try:
            record = _asked(case, args)
        except StudentError:
            continue
        if record.stopped:
            break
        if record.raised is None:
            found.append(record)
    return found


def _asked(case: Case, args: Sequence[Any]) -> Observation:
    """One more call; of an exercise that returns an object, (its arguments, the object's).

    Raises StudentError.
    """
    student, name = case.student, case.exercise.name
    if case.exercise.kind != "object":
        return student.run(name, [_present(case, arg) for arg in args])
    made = student.run(name, list(args[0]))
    if not isinstance(made.returned, Handle):
        raise StudentError(made)
    return made.returned.observed(*args[1])


def _present(case: Case, arg: Any) -> Any:
    if isinstance(arg, Blueprint):
        return sequential(case.student, arg.layers, arg.parameters)
    return arg


def _bare(thing: Any) -> Any:
    return thing.detach() if isinstance(thing, torch.Tensor) else thing
