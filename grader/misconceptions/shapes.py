"""Right for a batch and wrong for one sample, or the other way round."""

from __future__ import annotations

from typing import Any

import torch

from grader.checking.failure import shape_text
from grader.misconceptions.case import MOST_PLAIN_ARGUMENTS, Case, Match
from grader.misconceptions.numbers import same_values
from grader.misconceptions.source import Place
from grader.observation import Observation


def match_shapes(case: Case) -> Match | None:
    """Right for a batch and wrong for one sample, or the other way round."""
    base = next(
        (c for c in case.calls + _raising_calls(case) if _is_batch(c.args)), None
    )
    if base is None:
        return None
    X = base.args[0].detach()
    rest = [arg.detach() if isinstance(arg, torch.Tensor) else arg for arg in base.args[1:]]
    if len(rest) < MOST_PLAIN_ARGUMENTS:
        return None
    case.student.begin(f"shapes {case.exercise.name}")
    right: dict[str, bool] = {}
    for label, x in (("batch", X), ("row", X[:1]), ("sample", X[0])):
        try:
            want = getattr(case.oracle, case.exercise.name)(x, *rest).detach()
        except Exception:
            return None
        if label == "batch" and want.shape == X.shape:
            return None
        record = case.student.run(case.exercise.name, [x, *rest])
        got = record.returned
        right[label] = (
            record.raised is None
            and isinstance(got, torch.Tensor)
            and got.numel() == want.numel()
            and (label != "batch" or got.shape == want.shape)
            and same_values(got.reshape(want.shape), want)
        )
    if right["batch"] and not (right["row"] and right["sample"]):
        which = shape_text(X[:1].shape) if not right["row"] else shape_text(X[0].shape)
        account = f"a batch of shape {shape_text(X.shape)} comes out right, one sample of shape {which} does not"
        return Match("batch-only", account, {"right": right}, _raise_place(case))
    if (right["row"] or right["sample"]) and not right["batch"]:
        account = f"one sample comes out right, a batch of shape {shape_text(X.shape)} does not"
        return Match("sample-only", account, {"right": right}, _raise_place(case))
    return None


def _raising_calls(case: Case) -> list[Observation]:
    return [
        call
        for result in case.outcome.results
        for call in result.calls
        if call.function == case.exercise.name and call.raised is not None
    ]


def _raise_place(case: Case) -> Place | None:
    for call in _raising_calls(case):
        place = case.deepest(call)
        if place is not None:
            return place
    return case.whole_function()


def _is_batch(args: tuple[Any, ...]) -> bool:
    first = args[0] if args else None
    return isinstance(first, torch.Tensor) and first.dim() == 2 and len(first) > 1
