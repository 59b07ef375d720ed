"""What a worker answered, checked and turned into tensors and records."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from grader.observation import Argument, ArrayArgument, Opaque, Origin, Unordered
from grader.student.worker import messages as m
from grader.student.worker.wire import CannotDecode, array_from, tensor_from

Array = np.ndarray[Any, Any]


def arguments_of(answer: m.Answer, tensors: list[torch.Tensor]) -> tuple[Argument, ...]:
    if len(answer.arguments) != len(tensors):
        raise CannotDecode("facts of another number of arguments than were given")
    records = []
    for facts, tensor in zip(answer.arguments, tensors, strict=True):
        before = snapshot(tensor)
        after = before
        if facts.after is not None:
            after = tensor_from(facts.after)
            if facts.after.grad is not None:
                grad = tensor_from(facts.after.grad)
                if grad.shape == after.shape and grad.dtype == after.dtype:
                    after.grad = grad
        # By the values, not by the worker's word.
        changed = not equal(before, after)
        records.append(
            Argument(
                before,
                after,
                changed,
                facts.requires_grad,
                facts.is_leaf,
                facts.reached,
                facts.writes,
                facts.rebound,
            )
        )
    return tuple(records)


def arrays_of(answer: m.Answer, arrays: Sequence[Array]) -> tuple[ArrayArgument, ...]:
    """Each array argument before and after. Raises CannotDecode."""
    after = answer.arrays or [None] * len(arrays)
    if len(after) != len(arrays):
        raise CannotDecode("facts of another number of arrays than were given")
    return tuple(
        ArrayArgument(array, array if value is None else array_from(value))
        for array, value in zip(arrays, after, strict=True)
    )


def origins_of(answer: m.Answer, returned: int, tensors: int, arrays: int) -> tuple[Origin, ...]:
    """What of the returned tensors is the caller's, where a worker speaks of things there are."""
    return tuple(
        one
        for one in answer.origins
        if 0 <= one.returned < returned
        and -1 <= one.argument < tensors
        and -1 <= one.memory < tensors + arrays
    )


def sound(graph: list[m.Node]) -> tuple[m.Node, ...]:
    """The recorded graph, or nothing where it is none: whoever walks it must come to an end."""
    waiting = [len(node.inputs) for node in graph]
    users: dict[int, list[int]] = {}
    for number, node in enumerate(graph):
        for used in node.inputs:
            users.setdefault(used, []).append(number)
    ready = [number for number, count in enumerate(waiting) if count == 0]
    for number in ready:  # grows: from the leaves up
        for user in users.get(number, ()):
            waiting[user] -= 1
            if waiting[user] == 0:
                ready.append(user)
    return tuple(graph) if len(ready) == len(graph) else ()


def snapshot(tensor: torch.Tensor) -> torch.Tensor:
    """A detached copy that carries a copy of the tensor's gradient."""
    copy = tensor.detach().clone()
    if tensor.is_leaf and tensor.grad is not None:
        copy.grad = tensor.grad.detach().clone()
    return copy


def equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Same shape, dtype and bits, NaN equal to NaN."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    return bool(((a == b) | ((a != a) & (b != b))).all())


def decode(value: m.Value, outputs: list[tuple[torch.Tensor, m.TensorValue]]) -> Any:
    match value:
        case m.TensorValue():
            tensor = tensor_from(value)
            outputs.append((tensor, value))
            return tensor
        case m.ArrayValue():
            return array_from(value)
        case m.ListValue():
            return [decode(item, outputs) for item in value.items]
        case m.TupleValue():
            return tuple(decode(item, outputs) for item in value.items)
        case m.SetValue():
            items = tuple(decode(item, outputs) for item in value.items)
            return Unordered("set", f"with {len(items)} items", items)
        case m.DictValue():
            return Opaque("dict", f"with {len(value.items)} entries")
        case m.OpaqueValue():
            return Opaque(value.type_name[:200], value.text[:500])
        case _:
            return value


def replace(thing: Any, tensors: list[torch.Tensor]) -> Any:
    remaining = iter(tensors)

    def walk(item: Any) -> Any:
        if isinstance(item, torch.Tensor):
            return next(remaining)
        if isinstance(item, (list, tuple)):
            return type(item)(walk(inner) for inner in item)
        if isinstance(item, Unordered):
            return dataclasses.replace(item, items=walk(item.items))
        return item

    return walk(thing)
