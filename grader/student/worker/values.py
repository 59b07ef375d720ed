"""Python objects to plain values and back, on both sides of the wire."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from . import messages as m
from .computing import compute
from .wire import (
    ARRAY_DTYPES,
    DTYPES,
    MAX_DEPTH,
    MAX_ITEMS,
    CannotDecode,
    array_from,
    tensor_bytes,
    tensor_from,
)

MAX_STRING = 100_000  # characters of a returned string
_NAMES = {dtype: name for name, dtype in DTYPES.items()}

Describe = Callable[[Any], m.Value]


class Packer:
    """Turns one object into a value, remembering the tensors it met, in order.

    `keep` is asked for what has no plain form: it gives a handle or an opaque value.
    """

    def __init__(self, keep: Describe | None = None) -> None:
        self.tensors: list[torch.Tensor] = []
        self._keep = keep or describe
        self._storages: dict[int, int] = {}
        self._left = MAX_ITEMS

    def pack(self, thing: Any, depth: int = 0) -> m.Value:
        """The value of `thing`. Raises CannotDecode for what is too deep or too long."""
        self._left -= 1
        if self._left < 0:
            raise CannotDecode(f"more than {MAX_ITEMS:,} values")
        if depth > MAX_DEPTH:
            raise CannotDecode(f"more than {MAX_DEPTH} lists within lists")
        kind = type(thing)
        if thing is None or kind is bool:
            return thing  # type: ignore[no-any-return]
        if issubclass(kind, torch.Tensor):
            return self._tensor(thing)
        # The built-in types' own methods throughout: a subclass may have put anything in place.
        if issubclass(kind, int):
            plain = int.__int__(thing)
            return plain if -(2**63) <= plain < 2**63 else m.OpaqueValue("int", "a huge integer")
        if issubclass(kind, float):
            return float.__float__(thing)
        if issubclass(kind, str):
            return str.__str__(thing)[:MAX_STRING]
        if issubclass(kind, np.ndarray):
            return _array(thing)
        if issubclass(kind, list):
            return m.ListValue([self.pack(item, depth + 1) for item in list.__iter__(thing)])
        if issubclass(kind, tuple):
            return m.TupleValue([self.pack(item, depth + 1) for item in tuple.__iter__(thing)])
        if issubclass(kind, set):
            return m.SetValue([self.pack(item, depth + 1) for item in set.__iter__(thing)])
        if issubclass(kind, frozenset):
            return m.SetValue([self.pack(item, depth + 1) for item in frozenset.__iter__(thing)])
        if issubclass(kind, dict):
            pairs = list(dict.items(thing))
            return m.DictValue(
                [(self.pack(k, depth + 1), self.pack(v, depth + 1)) for k, v in pairs]
            )
        return self._keep(thing)

    def _tensor(self, tensor: torch.Tensor) -> m.Value:
        if type(tensor).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__:
            # No data of its own: reading it would run whatever its class does then.
            return m.OpaqueValue(type_name(tensor), "a tensor that computes when it is read")
        with torch._C.DisableTorchFunctionSubclass():
            name = _NAMES.get(tensor.dtype)
            if name is None or tensor.layout != torch.strided or tensor.device.type != "cpu":
                return m.OpaqueValue(type_name(tensor), f"{tensor.dtype}, {tensor.layout}")
            self.tensors.append(tensor)
            pointer = tensor.untyped_storage().data_ptr()
            number = self._storages.setdefault(pointer, len(self._storages))
            grad = tensor.grad if tensor.is_leaf else None
            return m.TensorValue(
                dtype=name,
                shape=tuple(tensor.shape),
                data=tensor_bytes(tensor),
                requires_grad=tensor.requires_grad,
                is_leaf=tensor.is_leaf,
                grad=None if grad is None else plain_tensor(grad),
                storage=number,
            )


def plain_tensor(tensor: torch.Tensor) -> m.TensorValue:
    """Values, dtype and shape, without graph facts. Raises CannotDecode for what is not dense."""
    name = _NAMES.get(tensor.dtype)
    if name is None or tensor.layout != torch.strided:
        raise CannotDecode(f"a tensor of {tensor.dtype}, {tensor.layout}")
    return m.TensorValue(name, tuple(tensor.shape), tensor_bytes(tensor))


def _array(given: np.ndarray[Any, Any]) -> m.Value:
    # Read through the base class: a subclass may lie about its dtype and its shape.
    array = np.ndarray.view(given, np.ndarray)
    if array.dtype.name not in ARRAY_DTYPES:
        return m.OpaqueValue("numpy.ndarray", f"of {array.dtype.name}")
    return m.ArrayValue(array.dtype.name, tuple(array.shape), np.ascontiguousarray(array).tobytes())


def type_name(thing: Any) -> str:
    kind = type(thing)
    module, name = str(kind.__module__), str(kind.__qualname__)
    return (name if module == "builtins" else f"{module}.{name}")[:200]


def describe(thing: Any) -> m.OpaqueValue:
    """The type's name alone: a repr may be anything, or never end."""
    return m.OpaqueValue(type_name(thing))


class Unpacker:
    """Turns values into objects, remembering tensors in order: leaves to ask gradients of.

    `find` gives the object behind a handle (in the worker); elsewhere handles stay values.
    `reuse` holds tensor objects of an earlier call, to be filled with the new values.
    """

    def __init__(
        self,
        find: Callable[[str], Any] | None = None,
        reuse: Sequence[torch.Tensor] = (),
    ) -> None:
        self._reuse = reuse
        self.tensors: list[torch.Tensor] = []  # what the callee gets
        self.leaves: list[torch.Tensor] = []  # where its gradients arrive
        self.arrays: list[np.ndarray[Any, Any]] = []
        self._find = find

    def unpack(self, value: m.Argument) -> Any:
        """The object. Raises CannotDecode."""
        match value:
            case m.TensorValue():
                return self._tensor(value)
            case m.ArrayValue():
                self.arrays.append(array_from(value))
                return self.arrays[-1]
            case m.ComputedValue():
                return self._computed(value)
            case m.SetValue():
                return self._set(value.items)
            case m.ListValue():
                return [self.unpack(item) for item in value.items]
            case m.TupleValue():
                return tuple(self.unpack(item) for item in value.items)
            case m.DictValue():
                return self._dict(value.items)
            case m.HandleValue() if self._find is not None:
                return self._find(value.id)
            case _:
                return value

    def _set(self, items: Sequence[m.Value]) -> Any:
        try:
            return set(map(self.unpack, items))
        except TypeError:
            raise CannotDecode("a set of items that cannot be in one") from None

    def _dict(self, items: Sequence[tuple[m.Value, m.Value]]) -> Any:
        try:
            return {self.unpack(k): self.unpack(v) for k, v in items}
        except TypeError:
            raise CannotDecode("a dictionary with keys that cannot be keys") from None

    def _computed(self, value: m.ComputedValue) -> torch.Tensor:
        made = [self._tensor(leaf) for leaf in value.leaves]
        for step in value.computations:
            made.append(compute(step.operation, [made[n] for n in step.tensors], step.numbers))
        # A computed tensor has no .grad of its own to look at; it stands for itself.
        self.tensors.append(made[-1])
        self.leaves.append(made[-1])
        return made[-1]

    def _tensor(self, value: m.TensorValue) -> torch.Tensor:
        leaf = tensor_from(value)
        tensor = leaf
        if value.requires_grad:
            if not (leaf.is_floating_point() or leaf.is_complex()):
                raise CannotDecode(f"a {value.dtype} tensor that requires grad")
            leaf.requires_grad_()
            # A non-leaf arrives as one: what the callee does in place must not hit a leaf's rules.
            tensor = leaf if value.is_leaf else leaf.clone()
        if value.grad is not None:
            if value.grad.shape != value.shape or value.grad.dtype != value.dtype:
                raise CannotDecode("a gradient of another shape or dtype than its tensor's")
            leaf.grad = tensor_from(value.grad)
        if len(self.tensors) < len(self._reuse):
            old = self._reuse[len(self.tensors)]
            if old.shape == tensor.shape and old.dtype == tensor.dtype and old.is_leaf:
                with torch.no_grad():
                    old.copy_(tensor)
                old.grad = leaf.grad
                leaf = tensor = old
        self.leaves.append(leaf)
        self.tensors.append(tensor)
        return tensor
