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
    base = next((c for c in case.calls + _raising_calls(case) if _is_batch(c.args)), None)
    if base is None:
        return None
    X = base.args[0].detach()
    rest = [arg.detach() if isinstance(arg, torch.Tensor) else arg for arg in base.args[1:]]
    if len(rest) < MOST_PLAIN_ARGUMENTS:
        return None
    case.student.begin(f"shapes {case.exercise.name}")
    right: dict[str, bool] = {}
    fails: dict[str, bool] = {}  # by an error or the number of values: not by other values
    results: dict[str, Any] = {}
    for label, x in (("batch", X), ("row", X[:1]), ("sample", X[0])):
        try:
            want = getattr(case.oracle, case.exercise.name)(x, *rest).detach()
        except Exception:
            return None
        if label == "batch" and want.shape == X.shape:
            return None
        record = case.student.run(case.exercise.name, [x, *rest])
        got = results[label] = record.returned
        fits = isinstance(got, torch.Tensor) and got.numel() == want.numel()
        fits = fits and (label != "batch" or got.shape == want.shape)
        fails[label] = record.raised is not None or not fits
        right[label] = not fails[label] and same_values(got.reshape(want.shape), want)
    single = [label for label in ("row", "sample") if not right[label]]
    if right["batch"] and single and all(fails[label] for label in single):
        which = shape_text(X[:1].shape if "row" in single else X[0].shape)
        account = (
            f"a batch of shape {shape_text(X.shape)} comes out right, "
            f"one sample of shape {which} does not"
        )
        return Match("batch-only", account, {"right": right}, _raise_place(case))
    if (right["row"] or right["sample"]) and fails["batch"] and _first_alone(results):
        account = f"one sample comes out right, a batch of shape {shape_text(X.shape)} does not"
        return Match("sample-only", account, {"right": right}, _raise_place(case))
    return None


def _first_alone(results: dict[str, Any]) -> bool:
    """The batch raised, or only its first sample was looked at: not, say, its mean."""
    batch = results["batch"]
    if not isinstance(batch, torch.Tensor):
        return True
    alone = [r for r in (results["row"], results["sample"]) if isinstance(r, torch.Tensor)]
    return any(r.numel() == batch.numel() and same_values(batch.reshape(r.shape), r) for r in alone)


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
