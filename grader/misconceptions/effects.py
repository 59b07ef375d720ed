"""What a function did to its arguments, and what its result has of them."""

from __future__ import annotations

from collections.abc import Sequence

from grader.checking.assertions import assert_unchanged
from grader.checking.failure import Failure, number, shape_text
from grader.misconceptions.case import Case, Match
from grader.misconceptions.source import Place
from grader.observation import Observation, Operation

SHARES = ("from_numpy", "as_tensor", "asarray", "Tensor", "FloatTensor", "from_dlpack")
WANTS_GRADIENTS = ("requires_grad_", "requires_grad=", "tensor", "as_tensor", "Parameter")


def change_of(call: Observation, index: int) -> Failure:
    """The failure that a check would have made of this changed argument."""
    try:
        assert_unchanged(call)
    except Failure as failure:
        return failure
    return Failure("changed", "the argument itself was changed by the call", argument=index)


def changed_argument(case: Case, failure: Failure, call: Observation) -> Match:
    """An argument has other contents after the call."""
    if "array" in failure.evidence:
        return _changed_array(case, failure.evidence["array"], call)
    name = case.argument_name(failure.argument or 0)
    evidence = {"argument": name, **failure.evidence}
    after = call.arguments[failure.argument or 0].after
    before = call.arguments[failure.argument or 0].before
    account = f"{name} has shape {shape_text(after.shape)} and other contents after the call"
    if before.dtype != after.dtype:
        was, now = (str(one.dtype).removeprefix("torch.") for one in (before, after))
        account = f"{name} was {was} before the call and is {now} after it"
    if "got" in failure.evidence:
        index = failure.evidence["index"]
        where = f"{name}{index}" if index else name
        account = (
            f"{where} was {number(failure.evidence['expected'])} before the call "
            f"and is {number(failure.evidence['got'])} after it"
        )
    place = None
    for operation in case.trace(call):
        if operation.in_place and operation.inputs:
            place = case.place_of(operation)
            break
        if operation.name in ("__setitem__",):
            place = case.place_of(operation)
            break
    return Match("argument-changed", account, evidence, place or case.whole_function())


def _changed_array(case: Case, place: int, call: Observation) -> Match:
    array, name = call.arrays[place], array_name(case, call, place)
    was = f"{array.before.dtype} {shape_text(array.before.shape)}"
    now = f"{array.after.dtype} {shape_text(array.after.shape)}"
    account = f"{name} was {was} before the call and is {now} after it"
    if was == now:
        differs = (array.before != array.after) & (array.before == array.before)
        at = int(differs.reshape(-1).argmax())
        first, second = array.before.reshape(-1)[at], array.after.reshape(-1)[at]
        account = (
            f"a number of {name} was {number(first.item())} before the call "
            f"and is {number(second.item())} after it"
        )
    return Match("argument-changed", account, {"argument": name}, case.whole_function())


def array_name(case: Case, call: Observation, place: int) -> str:
    """What the signature calls the array argument of this number."""
    arrays = [i for i, arg in enumerate(call.args) if type(arg).__name__ == "ndarray"]
    names = case.parameters
    return names[arrays[place]] if place < len(arrays) else f"array {place + 1}"


def shared_memory(case: Case, failure: Failure, call: Observation) -> Match:
    """The result lies in the memory of an argument."""
    if "array" in failure.evidence:
        given = call.arrays[failure.evidence["array"]].before
        name = array_name(case, call, failure.evidence["array"])
        dtype = str(given.dtype)
    else:
        name = case.argument_name(failure.argument or 0)
        dtype = str(call.arguments[failure.argument or 0].before.dtype).removeprefix("torch.")
    account = (
        f"where {name} holds {dtype}, your tensor lies in its very memory: "
        f"whoever writes into {name} changes the tensor too"
    )
    place = _first(case.trace(call), SHARES)
    return Match("memory-shared", account, {"argument": name, "dtype": dtype}, place)


def data_requiring_grad(case: Case, failure: Failure, call: Observation) -> Match:
    """What is data was told to require grad."""
    place = None
    for operation in case.trace(call):
        if operation.name in WANTS_GRADIENTS and any(o.requires_grad for o in operation.outputs):
            place = case.place_of(operation)
    account = "requires_grad of what you return is True"
    return Match("data-requires-grad", account, {"requires_grad": True}, place)


def _first(trace: Sequence[Operation], names: Sequence[str]) -> Place | None:
    for operation in trace:
        if operation.name in names:
            return Place(operation.filename, operation.line)
    return None
