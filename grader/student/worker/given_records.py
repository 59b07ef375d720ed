"""Records about what a call is given: how an argument is computed, and what of it comes back."""

from __future__ import annotations

import msgspec


class Computation(msgspec.Struct, frozen=True, array_like=True):
    """One operation of a computed argument, on tensors by their number and then plain numbers."""

    operation: str
    tensors: list[int]
    numbers: list[int | float] = []


class Origin(msgspec.Struct, frozen=True, array_like=True):
    """What a returned tensor, by its flattened index, has of the caller's.

    `argument` is the tensor argument that it is, the same object. `memory` is the argument whose
    memory it lies in: tensors are counted as they are flattened, and arrays after them.
    """

    returned: int
    argument: int = -1
    memory: int = -1
