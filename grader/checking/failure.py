"""A check that failed, as data first; text is made at the boundary."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch

from grader.observation import Observation


@dataclass(eq=False)
class Failure(AssertionError):
    """What an assertion found. `bug` is set where the check itself can name the mistake.

    `kind` is one of: type, dtype, shape, values, gradient, gradient-missing, gradcheck, changed,
    fact, and plain (an `assert` of the author's own). `earned` is what the check gives all the
    same.
    """

    kind: str
    message: str
    evidence: dict[str, Any] = field(default_factory=dict)
    got: Any = None
    expected: Any = None
    argument: int | None = None
    bug: str | None = None
    earned: float = 0.0
    observation: Observation | None = None

    def __str__(self) -> str:
        return self.message


def number(value: float | int | bool | torch.Tensor) -> str:
    """A number as a person would write it: six digits, no trailing zeros."""
    plain = value.item() if isinstance(value, torch.Tensor) else value
    if isinstance(plain, bool | int):
        return str(plain)
    if isinstance(plain, complex):
        return f"{plain:.6g}"
    return f"{float(plain):.6g}"


def shape_text(shape: Any) -> str:
    """(3, 4); a scalar's shape is ()."""
    return str(tuple(int(n) for n in shape))


def index_text(index: tuple[int, ...]) -> str:
    """[1, 2], or nothing for a scalar."""
    return f"[{', '.join(map(str, index))}]" if index else ""
