"""Mistakes in making parameters."""

from __future__ import annotations

import torch

from grader.checking.failure import Failure
from grader.misconceptions.case import Case, Match
from grader.misconceptions.source import Place
from grader.observation import Observation

KINDS = {
    "not-a-leaf": "parameter-not-a-leaf",
    "not-requiring-grad": "requires-grad-missing",
    "shared": "shared-parameter",
    "type": "wrong-return-type",
}


def match_initializer(case: Case, failure: Failure) -> list[Match]:
    """The name that fits one failed check of an initializer."""
    call = failure.observation
    if call is None:
        return []
    name = part_name(case, failure.argument)
    if failure.kind == "dtype":
        got = str(failure.evidence.get("got", ""))
        slug = "float64-mixing" if got == "float64" else None
        slug = "integer-tensors" if got.startswith(("int", "uint")) else slug
        return [
            Match(
                slug,
                f"{name} is {got}, it should be float32",
                failure.evidence,
                _made(case, call, got),
            )
        ]
    slug = KINDS.get(failure.kind)
    if slug is None:
        return []
    if failure.kind == "type" and isinstance(failure.got, list | tuple):
        return []
    account = failure.message
    if failure.argument is not None and failure.kind != "shared":
        fact = failure.message.partition(":")[0]
        account = f"for {name}, {fact}" if failure.kind == "type" else f"{name}.{fact}"
    elif failure.kind == "shared":
        first, second = failure.evidence["first"], failure.evidence["second"]
        account = f"{part_name(case, first)} and {part_name(case, second)} lie in the same memory"
    return [
        Match(slug, account, failure.evidence, _line(case, call, failure) or case.whole_function())
    ]


def part_name(case: Case, index: int | None) -> str:
    """What the assignment calls this one of the parameters made."""
    for exercise in case.assignment.exercises:
        for parts in exercise.parts.values():
            if index is not None and index < len(parts):
                return parts[index]
    return "the result" if index is None else f"number {index + 1}"


def _made(case: Case, call: Observation, dtype: str) -> Place | None:
    for operation in case.trace(call):
        if any(out.dtype == dtype for out in operation.outputs):
            return case.place_of(operation)
    return case.whole_function()


def _line(case: Case, call: Observation, failure: Failure) -> Place | None:
    """The last operation that gave a tensor with the fact in question, of the right shape."""
    shape = tuple(failure.got.shape) if isinstance(failure.got, torch.Tensor) else None
    found = None
    for operation in case.trace(call):
        for out in operation.outputs:
            if shape is not None and out.shape != shape:
                continue
            if failure.kind == "not-a-leaf" and not out.is_leaf:
                found = case.place_of(operation)
            if failure.kind == "not-requiring-grad" and not out.requires_grad:
                found = case.place_of(operation)
    return found
