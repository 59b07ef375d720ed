"""Arguments with a history: operations from a fixed table, run upon leaves where they are used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import torch

OPERATIONS: Mapping[str, Callable[..., torch.Tensor]] = MappingProxyType(
    {
        "abs": torch.abs, "add": torch.add, "clone": torch.clone, "cos": torch.cos,
        "detach": torch.detach, "div": torch.div, "exp": torch.exp, "expm1": torch.expm1,
        "log": torch.log, "log1p": torch.log1p, "log2": torch.log2, "matmul": torch.matmul,
        "mean": torch.mean, "mul": torch.mul, "neg": torch.neg, "pow": torch.pow,
        "relu": torch.relu, "sigmoid": torch.sigmoid, "sin": torch.sin, "sqrt": torch.sqrt,
        "sub": torch.sub, "sum": torch.sum, "tanh": torch.tanh,
    }
)  # fmt: skip


def compute(
    operation: str, tensors: Sequence[torch.Tensor], numbers: Sequence[int | float]
) -> torch.Tensor:
    """The operation on the tensors, then the numbers. Raises KeyError for one not in the table."""
    return OPERATIONS[operation](*tensors, *numbers)
