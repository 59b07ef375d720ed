"""What a call gave back that is the caller's own: the same object, or the same memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from . import messages as m
from .given_records import Origin
from .values import Packer
from .wire import CannotDecode

Array = np.ndarray[Any, Any]
Span = tuple[int, int]  # first byte, and the one after the last


class Belongings:
    """The arguments of one call, as they were before it."""

    def __init__(self, tensors: Sequence[torch.Tensor], arrays: Sequence[Array]) -> None:
        self._numbers = {id(tensor): number for number, tensor in enumerate(tensors)}
        self._tensors = tensors
        self._arrays = arrays
        self._before = [array.copy() for array in arrays]
        self._spans = [_of_tensor(tensor) for tensor in tensors] + [_of_array(a) for a in arrays]

    def origins(self, returned: Sequence[torch.Tensor]) -> list[Origin]:
        """Of the returned tensors those that are the caller's, or lie where an argument does."""
        found = []
        for place, tensor in enumerate(returned):
            own = self._numbers.get(id(tensor), -1)
            memory = self._memory(_of_tensor(tensor))
            if own >= 0 or memory >= 0:
                found.append(Origin(place, own, memory))
        return found

    def changed_arrays(self) -> list[m.ArrayValue | None]:
        """Each array as it is now, None where it is as before; empty where all are."""
        after = [
            None if _same(array, before) else _plain(array)
            for array, before in zip(self._arrays, self._before, strict=True)
        ]
        return after if any(after) else []

    def _memory(self, span: Span) -> int:
        if span[0] == span[1]:
            return -1
        return next(
            (
                number
                for number, (start, end) in enumerate(self._spans)
                if start < span[1] and span[0] < end
            ),
            -1,
        )


def _of_tensor(tensor: torch.Tensor) -> Span:
    with torch._C.DisableTorchFunctionSubclass():
        storage = tensor.untyped_storage()
        return storage.data_ptr(), storage.data_ptr() + storage.nbytes()


def _of_array(array: Array) -> Span:
    start = array.__array_interface__["data"][0]
    return start, start + array.nbytes


def _same(array: Array, before: Array) -> bool:
    if array.shape != before.shape or array.dtype != before.dtype:
        return False
    return array.tobytes() == before.tobytes()


def _plain(array: Array) -> m.ArrayValue | None:
    try:
        value = Packer().pack(array)
    except CannotDecode:
        return None
    return value if isinstance(value, m.ArrayValue) else None
