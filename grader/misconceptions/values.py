"""Does a known wrong function give the student's values on every input?"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from grader.checking.draw import Draw
from grader.checking.failure import number
from grader.misconceptions.agreement import agrees
from grader.misconceptions.case import MOST_PLAIN_ARGUMENTS, Case, Match
from grader.misconceptions.imitation import Imitation
from grader.misconceptions.numbers import same_values
from grader.observation import Observation, flatten_tensors
from grader.student.computed import Computed

MOST_CALLS = 10


def match_values(case: Case) -> list[Match]:
    """The imitations that fit every call seen, told apart by further inputs where several do."""
    calls = informative_calls(case)
    if not calls or all(_right(case, call) for call in calls):
        return []
    fits = [
        (one, k) for one in case.own.of(case.exercise.name) if (k := fit(case, one, calls)) != ()
    ]
    # Nothing is named on the strength of one call alone, nor where a few numbers are all there is.
    unsure = len(calls) == 1 or case.exercise.kind in ("numbers", "descent")
    if len({one.slugs for one, _ in fits}) > 1 or not fits or unsure:
        fits = _tell_apart(case, fits, calls)
    if len({one.slugs for one, _ in fits}) != 1:
        # Several still fit, or none: only what they agree on may be named.
        shared = (
            set(fits[0][0].slugs).intersection(*(one.slugs for one, _ in fits)) if fits else set()
        )
        fits = [(one, k) for one, k in fits if set(one.slugs) == shared]
        if not fits:
            return []
    one, k = fits[0]
    if not _holds_elsewhere(case, one, k):
        return []
    account = one.account.replace("{k}", number(k[0])) if k else one.account
    evidence: dict[str, Any] = {"calls_matched": len(calls)}
    if k:
        evidence["fitted"] = k[0]
    place = case.source.find(case.exercise.name, one.at) if one.at is not None else None
    return [Match(slug, account, dict(evidence), place) for slug in one.slugs]


def informative_calls(case: Case) -> list[Observation]:
    """Float32 calls with plain answers, each input once, at most `MOST_CALLS`."""
    calls: list[Observation] = []
    for call in case.calls:
        floats = [a for a in flatten_tensors(call.args) if a.is_floating_point()]
        if floats and all(tensor.dtype != torch.float32 for tensor in floats):
            continue
        if any(_same_inputs(call, other) for other in calls):
            continue
        calls.append(call)
    return calls[:MOST_CALLS]


def fit(
    case: Case, one: Imitation, calls: Sequence[Observation]
) -> tuple[float, ...] | tuple[()] | None:
    """() where it does not fit; None where it fits; (k,) where it fits with the number k."""
    k: tuple[float, ...] | None = None
    if one.fit is not None:
        for call in calls:
            try:
                found = one.fit(_bare(call.args), _bare(call.returned))
            except Exception:
                found = None
            if found is not None:
                k = (float(found),)
                break
        if k is None:
            return ()
    for call in calls:
        if not _agrees(case, one, call, k):
            return ()
    return k


def _agrees(case: Case, one: Imitation, call: Observation, k: tuple[float, ...] | None) -> bool:
    args = [_detached(arg) for arg in call.args]
    # Of a computed argument a wrong function gets the tensor itself: to look at, not to change.
    given = [arg.tensor if isinstance(arg, Computed) else copy.deepcopy(arg) for arg in args]
    extra = list(k) if k else []
    before = [case.library] if one.pieces else []
    try:
        wrong = one.function(*before, *given, *extra)
    except Exception:
        return False
    inspects = case.exercise.kind == "inspection"
    return agrees(case.exercise.kind, call, wrong, args if inspects else given)


def _tell_apart(
    case: Case, fits: list[tuple[Imitation, Any]], calls: Sequence[Observation]
) -> list[tuple[Imitation, Any]]:
    if case.own.inputs is None:
        return fits
    case.student.begin(f"tell apart {case.exercise.name}")
    draw = Draw(case.assignment.seed, f"tell apart {case.exercise.name}")
    more: list[Observation] = []
    for args in case.own.inputs(case.exercise.name, draw):
        record = case.student.run(case.exercise.name, list(args))
        if record.stopped:
            break
        if record.raised is None:
            more.append(record)
    if not more:
        return fits
    if not fits and _all_finite(calls):
        return []
    # Where nothing fitted because all was NaN, these inputs may be the first to say something.
    seen = [*calls, *more]
    return [
        (one, k)
        for one in case.own.of(case.exercise.name)
        if (k := fit(case, one, seen)) != ()
        and (not fits or any(one is other for other, _ in fits))
    ]


def _right(case: Case, call: Observation) -> bool:
    """The call's values are the oracle's: then no wrong function may take their name."""
    if case.exercise.kind != "function" or not isinstance(call.returned, torch.Tensor):
        return False
    try:
        want = getattr(case.oracle, case.exercise.name)(*_bare(call.args))
    except Exception:
        return False
    return want.numel() == call.returned.numel() and same_values(
        call.returned.reshape(want.shape), want
    )


def _holds_elsewhere(case: Case, one: Imitation, k: tuple[float, ...] | None) -> bool:
    """For one row too: a check that stops at its first failure may have seen batches only."""
    first = informative_calls(case)[0].args
    X = first[0] if first else None
    if len(first) <= MOST_PLAIN_ARGUMENTS or not isinstance(X, torch.Tensor) or X.dim() != 2:
        return True
    case.student.begin(f"elsewhere {case.exercise.name}")
    for args in ([X[:1], *first[1:]], [X[0], *first[1:]]):
        record = case.student.run(case.exercise.name, args)
        # What it refuses says nothing; what it answers must fit.
        if record.raised is None and not _agrees(case, one, record, k):
            return False
    return True


def _all_finite(calls: Sequence[Observation]) -> bool:
    return all(
        bool(torch.isfinite(tensor.double()).all())
        for call in calls
        for tensor in flatten_tensors(call.returned)
    )


def _same_inputs(a: Observation, b: Observation) -> bool:
    first, second = flatten_tensors(a.args), flatten_tensors(b.args)
    return (
        _others(a) == _others(b)
        and len(first) == len(second)
        and all(
            x.shape == y.shape and bool((x == y).all()) for x, y in zip(first, second, strict=True)
        )
    )


def _others(call: Observation) -> list[Any]:
    """The arguments that are neither tensors nor lists of them, as things to compare."""
    found: list[Any] = []
    for arg in call.args:
        if isinstance(arg, np.ndarray):
            found.append((arg.dtype.name, arg.shape, arg.tobytes()))
        elif isinstance(arg, Computed):
            found.append((id(arg.tensor),))
        elif not isinstance(arg, torch.Tensor | list | tuple):
            found.append(arg)
    return found


def _bare(thing: Any) -> Any:
    """Without graph facts: numbers are read from it."""
    if isinstance(thing, torch.Tensor):
        return thing.detach()
    if isinstance(thing, list | tuple):
        return type(thing)(_bare(item) for item in thing)
    return thing


def _detached(arg: Any) -> Any:
    if isinstance(arg, torch.Tensor):
        fresh = arg.detach().clone()
        return fresh.requires_grad_() if arg.requires_grad and arg.is_leaf else fresh
    if isinstance(arg, list | tuple):
        return type(arg)(_detached(item) for item in arg)
    return arg
