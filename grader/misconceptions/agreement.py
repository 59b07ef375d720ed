"""Whether a wrong function gave and did what a submission gave and did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import torch

from grader.checking.inspected import items_of
from grader.misconceptions.numbers import close, same_values
from grader.observation import Observation, flatten_tensors
from grader.student.computed import Computed


def agrees(kind: str, call: Observation, wrong: Any, args: Sequence[Any]) -> bool:
    """`wrong` is what the wrong function returned for `args`, which it may have changed."""
    if kind == "function":
        return (
            isinstance(wrong, torch.Tensor)
            and isinstance(call.returned, torch.Tensor)
            and same_values(call.returned, wrong)
        )
    if kind == "numbers":
        return _same_list(call.returned, wrong)
    if kind == "inspection":
        return _same_answer(call, wrong, args)
    if not _same_effect(call, args):
        return False
    # What an update returns is nobody's business.
    return (kind == "descent" and wrong is None) or _same_list(call.returned, wrong)


def _same_effect(call: Observation, args: Sequence[Any]) -> bool:
    after = [argument.after.detach() for argument in call.arguments]
    left = [tensor.detach() for tensor in flatten_tensors(args)]
    return len(after) == len(left) and all(
        close(a, b, rtol=1e-3, atol=1e-4) for a, b in zip(after, left, strict=True)
    )


def _same_list(got: Any, want: Any) -> bool:
    if not isinstance(got, list | tuple) or not isinstance(want, list | tuple):
        return False
    if len(got) != len(want):
        return False
    try:
        a = torch.tensor([float(x) for x in got], dtype=torch.float64)
        b = torch.tensor([float(x) for x in want], dtype=torch.float64)
    except (TypeError, ValueError, RuntimeError):
        return False
    return close(a, b, rtol=1e-3, atol=1e-3)


def _same_answer(call: Observation, wrong: Any, args: Sequence[Any]) -> bool:
    """The same texts, or the same tensors of the caller's, as often and in whatever order."""
    items = items_of(call.returned)
    if items is None or isinstance(wrong, str):
        return isinstance(wrong, str) and call.returned == wrong
    if not isinstance(wrong, list | tuple | set) or len(items) != len(wrong):
        return False
    if all(isinstance(item, str) for item in items):
        return Counter(items) == Counter(wrong)
    output = args[0] if args else None
    if not isinstance(output, Computed) or len(call.tensors) != len(items):
        return False
    places = {id(one.tensor): place for place, one in enumerate(output.leaves)}
    return Counter(call.own) == Counter(places.get(id(tensor), -1) for tensor in wrong)
