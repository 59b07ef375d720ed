"""What checks assert of a call's effects: steps, resets, leaves, losses."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from grader.assignment import LOOSE, Tolerance
from grader.checking.assertions import difference_evidence, fail, type_text
from grader.checking.comparing import difference
from grader.checking.failure import Failure, index_text, number, shape_text
from grader.observation import Argument, Observation

Shape = tuple[int, ...]


def assert_steps(
    record: Observation, expected: Sequence[torch.Tensor], *, atol: float | None = None
) -> None:
    """The call's tensor arguments, the caller's own objects, hold the `expected` values now.

    `expected` in the order in which arguments are flattened; `atol` replaces the usual tolerance.
    Raises Failure of kind "step".
    """
    tolerance = LOOSE if atol is None else Tolerance(rtol=0.0, atol=atol)
    for index, (argument, want) in enumerate(zip(record.arguments, expected, strict=True)):
        got = argument.after.detach()
        if got.shape != want.shape or got.dtype != want.dtype:
            text = f"its shape or dtype changed: {shape_text(got.shape)}, {got.dtype}"
            raise Failure("step", text, argument=index, observation=record)
        gap = difference(got, want, tolerance)
        if gap is None:
            continue
        before = argument.before.detach()
        evidence = difference_evidence(gap) | {
            "before": float(before[gap.index]),
            "moved": sum(a.changed for a in record.arguments),
        }
        if argument.before.grad is not None:
            evidence["gradient"] = float(argument.before.grad[gap.index])
        text = (
            f"{index_text(gap.index)} was {number(evidence['before'])} before and is "
            f"{number(gap.got)} after; it should be {number(gap.expected)}"
        ).strip()
        raise Failure("step", text, evidence, got, want, argument=index, observation=record)


def left_over(argument: Argument) -> bool:
    """A gradient is still there: neither None nor all zeros."""
    grad = argument.after.grad
    return grad is not None and bool((grad != 0).any())


def assert_reset(
    record: Observation, *, forgiven: float = 0.0, where: Callable[[], bool] = lambda: False
) -> None:
    """No tensor argument carries a gradient after the call. Raises Failure of kind "reset".

    `forgiven` points are given all the same where `where()` holds.
    """
    for index, argument in enumerate(record.arguments):
        if not left_over(argument):
            continue
        grad, old = argument.after.grad, argument.before.grad
        assert grad is not None
        place = tuple(int(i) for i in torch.nonzero(grad)[0])
        earned = forgiven if forgiven and where() else 0.0
        left = float(grad[place])
        evidence: dict[str, Any] = {
            "index": list(place),
            "left": left,
            "gradient": None if old is None else float(old[place]),
            "resets_elsewhere": earned > 0,
        }
        text = f"after the call .grad{index_text(place)} is still {number(left)}"
        raise Failure("reset", text, evidence, argument=index, earned=earned, observation=record)


def assert_tracked(record: Observation) -> None:
    """Arguments that were leaves requiring grad still are, and autograd records as before.

    Raises Failure of kind "tracking".
    """
    for index, argument in enumerate(record.arguments):
        if not argument.requires_grad:
            raise Failure(
                "tracking", "requires_grad is False after the call", argument=index,
                observation=record,
            )  # fmt: skip
        if not argument.is_leaf:
            raise Failure(
                "tracking", "it is no leaf any more after the call", argument=index,
                observation=record,
            )  # fmt: skip
    if record.grad_mode != record.grad_mode_before:
        raise Failure(
            "tracking",
            "autograd no longer records after the call: grad mode was on before and is off after",
            {"grad_mode": record.grad_mode},
            observation=record,
        )


def assert_leaves(record: Observation, shapes: Sequence[Sequence[Shape]]) -> None:
    """What was returned is a list or tuple of float32 leaves that require grad.

    `shapes` gives each one's accepted shapes; no two may share memory. Raises Failure.
    """
    made = record.returned
    if not isinstance(made, list | tuple):
        raise Failure(
            "type", f"a list or tuple was due, {type_text(made)} came back",
            {"got": type_text(made)}, made, observation=record,
        )  # fmt: skip
    if len(made) != len(shapes):
        fail(f"{len(shapes)} tensors were due, {len(made)} came back", record=record)
    for index, (tensor, accepted) in enumerate(zip(made, shapes, strict=True)):
        _assert_leaf(record, index, tensor, accepted)
    if len(set(record.storages)) < len(made):
        twice = next(i for i, s in enumerate(record.storages) if s in record.storages[:i])
        first = record.storages.index(record.storages[twice])
        raise Failure(
            "shared", f"numbers {first + 1} and {twice + 1} share their memory",
            {"first": first, "second": twice}, argument=twice, observation=record,
        )  # fmt: skip


def _assert_leaf(record: Observation, index: int, tensor: Any, accepted: Sequence[Shape]) -> None:
    def failed(kind: str, text: str, **evidence: Any) -> Failure:
        return Failure(kind, text, evidence, tensor, argument=index, observation=record)

    if not isinstance(tensor, torch.Tensor):
        raise failed(
            "type", f"a tensor was due, {type_text(tensor)} came back", got=type_text(tensor)
        )
    dtype = str(tensor.dtype).removeprefix("torch.")
    if tensor.dtype != torch.float32:
        raise failed("dtype", f"float32 was due, {dtype} came back", got=dtype, expected="float32")
    if tuple(tensor.shape) not in accepted:
        due = " or ".join(shape_text(shape) for shape in accepted)
        raise failed("shape", f"the shape is {shape_text(tensor.shape)}, it should be {due}")
    if not tensor.requires_grad:
        raise failed("not-requiring-grad", "requires_grad is False")
    if not tensor.is_leaf:
        raise failed("not-a-leaf", "is_leaf is False: it was computed from something else")


def assert_losses(record: Observation, expected: Sequence[float], *, atol: float = 1e-4) -> None:
    """What was returned is a list of Python floats close to `expected`, one each, in order.

    Raises Failure of kind type or "losses".
    """
    got = record.returned
    if not isinstance(got, list | tuple):
        raise Failure(
            "type", f"a list was due, {type_text(got)} came back", {"got": type_text(got)}, got,
            observation=record,
        )  # fmt: skip
    for index, loss in enumerate(got):
        if not isinstance(loss, float):
            raise Failure(
                "type", f"loss {index} is {type_text(loss)}, it should be a float",
                {"got": type_text(loss), "index": index}, got, observation=record,
            )  # fmt: skip
    if len(got) != len(expected):
        raise Failure(
            "losses",
            f"{len(expected)} losses were due, one a step; {len(got)} came back",
            {"got": len(got), "expected": len(expected), "what": "count"},
            got, list(expected), observation=record,
        )  # fmt: skip
    for index, (loss, want) in enumerate(zip(got, expected, strict=True)):
        if not (abs(loss - want) <= atol or (math.isnan(loss) and math.isnan(want))):
            raise Failure(
                "losses",
                f"loss {index} is {number(loss)}, it should be {number(want)}",
                {"index": index, "got": loss, "expected": want, "allowed": atol},
                got, list(expected), observation=record,
            )  # fmt: skip
