"""What checks assert of modules, of functions that were given, and of numbers about them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from grader.assignment import LOOSE, Tolerance
from grader.checking.assertions import difference_evidence, type_text
from grader.checking.comparing import difference
from grader.checking.failure import Failure, index_text, number, shape_text
from grader.observation import Observation
from grader.observed_modules import ModuleSeen, Pass
from grader.student.handles import Handle

Shape = tuple[int, ...]
# What passes a tensor on without its history, and what makes numbers of it.
DETACHES = frozenset({"detach", "detach_", "data"})
NUMBERS = frozenset({"item", "tolist", "__float__"})


def assert_module(record: Observation) -> Handle:
    """What the call returned is a module. Raises Failure of kind "type"."""
    got = record.returned
    if isinstance(got, Handle) and record.module(got) is not None:
        return got
    what = type_text(got)
    raise Failure(
        "type", f"a model was due, {what} came back", {"got": what}, got, observation=record
    )


def assert_callable(record: Observation) -> Handle:
    """What the call returned can be called and is no class. Raises Failure of kind "type"."""
    got = record.returned
    if isinstance(got, Handle) and got.type_name != "type":
        return got
    what = type_text(got)
    raise Failure(
        "type", f"something to call was due, {what} came back", {"got": what}, got,
        observation=record,
    )  # fmt: skip


def assert_parameters(record: Observation, handle: Handle, shapes: Sequence[Shape]) -> list[str]:
    """The module's parameters are float32 leaves that require grad, one for each of the shapes.

    Returns their names in the order of `shapes`, whichever order the module has them in; shapes
    that occur twice go by that. Raises Failure of kind "parameters", "dtype" or
    "not-requiring-grad".
    """
    seen = _seen(record, handle)
    found = [tuple(p.after.shape) for p in seen.parameters]
    evidence = {
        "got": [list(shape) for shape in found],
        "expected": [list(shape) for shape in shapes],
        "names": list(seen.names),
    }
    if sorted(found) != sorted(shapes):
        got = ", ".join(map(shape_text, found)) or "none"
        due = ", ".join(map(shape_text, shapes))
        raise Failure(
            "parameters", f"the model's parameters have the shapes {got}; they should be {due}",
            evidence, observation=record,
        )  # fmt: skip
    for name, p in zip(seen.names, seen.parameters, strict=True):
        dtype = str(p.after.dtype).removeprefix("torch.")
        if p.after.dtype != torch.float32:
            raise Failure(
                "dtype", f"{name} is {dtype}, it should be float32",
                {"got": dtype, "expected": "float32", "parameter": name}, observation=record,
            )  # fmt: skip
        if not p.requires_grad:
            raise Failure(
                "not-requiring-grad", f"{name}.requires_grad is False", {"parameter": name},
                observation=record,
            )  # fmt: skip
    left = list(range(len(found)))
    names = []
    for shape in shapes:
        place = next(i for i in left if found[i] == shape)
        left.remove(place)
        names.append(seen.names[place])
    return names


def assert_moved(
    record: Observation, handle: Handle, expected: Sequence[torch.Tensor], *, atol: float
) -> None:
    """After the call the module's parameters hold these values, in its own order.

    Raises Failure of kind "step".
    """
    seen = _seen(record, handle)
    if len(seen.parameters) != len(expected):
        raise Failure("step", "the model has other parameters than before", observation=record)
    worst: tuple[float, Failure] | None = None
    for name, p, want in zip(seen.names, seen.parameters, expected, strict=True):
        if p.after.shape != want.shape or p.after.dtype != want.dtype:
            text = f"{name}: its shape or dtype changed: {shape_text(p.after.shape)}"
            raise Failure("step", text, {"parameter": name}, observation=record)
        gap = difference(p.after, want, Tolerance(rtol=0.0, atol=atol))
        if gap is None or (worst is not None and worst[0] >= gap.absolute):
            continue
        before = float(p.before[gap.index])
        evidence = difference_evidence(gap) | {
            "parameter": name,
            "before": before,
            "moved": len(seen.moved),
        }
        where = f"{name}{index_text(gap.index)}"
        went = f"went from {number(before)} to {number(gap.got)}"
        went = went if gap.got != before else f"is still {number(before)} after the call"
        text = f"{where} {went}; it should be {number(gap.expected)}"
        worst = gap.absolute, Failure("step", text, evidence, p.after, want, observation=record)
    if worst is not None:
        raise worst[1]


def assert_floats(
    record: Observation, expected: Sequence[float], *, atol: float, what: str = "number"
) -> None:
    """What was returned is a list of Python floats close to `expected`, one each, in order.

    Raises Failure of kind "type" or "losses".
    """
    got = record.returned
    if not isinstance(got, list | tuple):
        raise Failure(
            "type", f"a list was due, {type_text(got)} came back", {"got": type_text(got)}, got,
            observation=record,
        )  # fmt: skip
    for index, one in enumerate(got):
        if not isinstance(one, float):
            raise Failure(
                "type", f"{what} {index} is {type_text(one)}, it should be a float",
                {"got": type_text(one), "index": index}, got, observation=record,
            )  # fmt: skip
    if len(got) != len(expected):
        raise Failure(
            "losses", f"{len(expected)} {what}s were due, {len(got)} came back",
            {"got": len(got), "expected": len(expected), "what": "count"}, got, list(expected),
            observation=record,
        )  # fmt: skip
    for index, (one, want) in enumerate(zip(got, expected, strict=True)):
        if not (abs(one - want) <= atol or (math.isnan(one) and math.isnan(want))):
            raise Failure(
                "losses", f"{what} {index} is {number(one)}, it should be {number(want)}",
                {"index": index, "got": one, "expected": want, "allowed": atol}, got,
                list(expected), observation=record,
            )  # fmt: skip


def assert_float(record: Observation, expected: float, *, tolerance: Tolerance = LOOSE) -> None:
    """What was returned is a Python float of this value. Raises Failure of kind type or values."""
    got = record.returned
    if not isinstance(got, float):
        what = type_text(got)
        raise Failure(
            "type", f"a float was due, {what} came back", {"got": what}, got, observation=record
        )
    gap = difference(torch.tensor(got), torch.tensor(expected), tolerance)
    if gap is not None:
        raise Failure(
            "values", f"you returned {number(got)}, expected {number(expected)}",
            difference_evidence(gap), torch.tensor(got), torch.tensor(expected),
            observation=record,
        )  # fmt: skip


def assert_module_kept(record: Observation, handle: Handle) -> None:
    """The call left the module's parameters as they were, and autograd too.

    Raises Failure of kind "changed" or "tracking".
    """
    seen = _seen(record, handle)
    if seen.moved:
        name = seen.moved[0]
        raise Failure(
            "changed", f"{name} holds other values after the call",
            {"parameters": list(seen.moved)}, observation=record,
        )  # fmt: skip
    if seen.untracked:
        name = seen.untracked[0]
        raise Failure(
            "tracking", f"{name}.requires_grad was True before the call and is False after it",
            {"parameters": list(seen.untracked)}, observation=record,
        )  # fmt: skip
    if record.grad_mode != record.grad_mode_before:
        raise Failure(
            "tracking", "grad mode was on before the call and is off after it",
            {"grad_mode": record.grad_mode}, observation=record,
        )  # fmt: skip


def first_on_graph(record: Observation, traced: Observation, handle: Handle) -> Pass | None:
    """The first call of a watched module whose result carried a graph that was used further on.

    None where no call was recorded, or what came out was detached, or made a number at once.
    `traced` is the same call once more, with its operations.
    """
    tracked = [one for one in _seen(record, handle).passes if one.tracked]
    on_graph = {
        operation.name
        for operation in traced.trace
        if any(given.requires_grad and not given.is_leaf for given in operation.inputs)
    }
    cut = on_graph & DETACHES or on_graph <= NUMBERS
    return tracked[0] if tracked and not cut else None


def _seen(record: Observation, handle: Handle) -> ModuleSeen:
    seen = record.module(handle)
    if seen is None:
        raise Failure("type", "the model cannot be looked at", {}, observation=record)
    return seen
