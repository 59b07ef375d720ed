"""Tensors compared: where they differ most, and by how much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from grader.assignment import Tolerance


@dataclass(frozen=True)
class Difference:
    """`count` of `total` entries differ; `index` is where most, NaN, infinity first."""

    count: int
    total: int
    index: tuple[int, ...]
    got: float
    expected: float
    allowed: float

    @property
    def absolute(self) -> float:
        return abs(self.got - self.expected)


def difference(
    got: torch.Tensor, expected: torch.Tensor, tolerance: Tolerance
) -> Difference | None:
    """How two tensors of one shape differ, or None where they agree. NaN agrees with NaN.

    The rule is |got - expected| <= atol + rtol * |expected|, entry by entry, in float64.
    """
    a = got.detach().to(torch.float64)
    b = expected.detach().to(torch.float64)
    both_nan = a.isnan() & b.isnan()
    # A share of infinity would allow everything: infinities are to be equal.
    scale = torch.where(b.isinf(), torch.zeros_like(b), b.abs())
    allowed = tolerance.atol + tolerance.rtol * scale
    gap = (a - b).abs()
    gap = torch.where(a == b, torch.zeros_like(gap), gap)
    wrong = ~(gap <= allowed) & ~both_nan
    if not bool(wrong.any()):
        return None
    size = torch.where(gap.isnan(), torch.full_like(gap, torch.inf), gap)
    size = torch.where(wrong, size, torch.full_like(size, -1.0))
    flat = int(size.reshape(-1).argmax())
    # NumPy's: torch's imports sympy, which takes half a second.
    index = tuple(int(i) for i in np.unravel_index(flat, a.shape)) if a.dim() else ()
    return Difference(
        count=int(wrong.sum()),
        total=wrong.numel(),
        index=index,
        got=float(a.reshape(-1)[flat]),
        expected=float(b.reshape(-1)[flat]),
        allowed=float(allowed.reshape(-1)[flat]),
    )
