"""What checks assert of plain numbers, of gradients left behind, and of the caller's memory."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from grader.assignment import LOOSE
from grader.checking.assertions import difference_evidence, type_text
from grader.checking.comparing import difference
from grader.checking.failure import Failure, index_text, number
from grader.observation import Observation


def assert_numbers(
    record: Observation, expected: Sequence[float], *, names: Sequence[str] = ()
) -> None:
    """What was returned is a list or tuple of Python floats, close to `expected`, in order.

    `names` says what each is, for messages. Raises Failure of kind type or "numbers".
    """
    got = record.returned
    if not isinstance(got, list | tuple):
        raise Failure(
            "type", f"{_several(expected)} were due, {type_text(got)} came back",
            {"got": type_text(got)}, got, list(expected), observation=record,
        )  # fmt: skip
    for index, one in enumerate(got):
        if not isinstance(one, float):
            raise Failure(
                "type", f"{_which(index, names)} is {type_text(one)}, it should be a float",
                {"got": type_text(one), "index": index}, got, list(expected), observation=record,
            )  # fmt: skip
    if len(got) != len(expected):
        raise Failure(
            "numbers", f"{_several(expected)} were due, {len(got)} came back",
            {"what": "count", "got": len(got), "expected": len(expected)},
            got, list(expected), observation=record,
        )  # fmt: skip
    for index, (one, want) in enumerate(zip(got, expected, strict=True)):
        allowed = LOOSE.atol + LOOSE.rtol * abs(want)
        if not (abs(one - want) <= allowed or (math.isnan(one) and math.isnan(want))):
            text = f"{_which(index, names)} is {number(one)}, it should be {number(want)}"
            evidence = {"index": index, "got": one, "expected": want, "allowed": allowed}
            raise Failure("numbers", text, evidence, got, list(expected), observation=record)


def _several(expected: Sequence[float]) -> str:
    return f"{len(expected)} numbers"


def _which(index: int, names: Sequence[str]) -> str:
    return names[index] if index < len(names) else f"number {index + 1}"


def assert_gradients(record: Observation, expected: Sequence[torch.Tensor]) -> None:
    """The call's tensor arguments, the caller's own, carry these gradients after it.

    Raises Failure of kind "gradient-left".
    """
    for index, (argument, want) in enumerate(zip(record.arguments, expected, strict=True)):
        got = argument.after.grad
        if got is None:
            evidence = {"got": None, "expected": float(want.reshape(-1)[0])}
            raise Failure(
                "gradient-left", ".grad is None after the call", evidence, None, want,
                argument=index, observation=record,
            )  # fmt: skip
        gap = difference(got, want, LOOSE)
        if gap is not None:
            text = (
                f".grad{index_text(gap.index)} is {number(gap.got)} after the call, "
                f"it should be {number(gap.expected)}"
            )
            raise Failure(
                "gradient-left", text, difference_evidence(gap), got, want,
                argument=index, observation=record,
            )  # fmt: skip


def assert_data(record: Observation) -> None:
    """What was returned is data: it does not require grad. Raises Failure "requires-grad"."""
    for tensor in record.tensors:
        if tensor.requires_grad:
            raise Failure(
                "requires-grad", "its requires_grad is True, and it is data", {}, tensor,
                observation=record,
            )  # fmt: skip


def assert_own_memory(record: Observation) -> None:
    """No returned tensor lies in an argument's memory. Raises Failure "memory"."""
    for origin in record.origins:
        if origin.memory >= 0:
            given = len(record.arguments)
            evidence = {"array": origin.memory - given} if origin.memory >= given else {}
            raise Failure(
                "memory", "it lies in the memory of what was passed in", evidence,
                record.tensors[origin.returned], observation=record,
                argument=None if evidence else origin.memory,
            )  # fmt: skip
