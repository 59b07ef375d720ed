"""Simple relations between what came back and what was due."""

from __future__ import annotations

import torch

from grader.checking.failure import number

TIGHT = 1e-4


def close(got: torch.Tensor, want: torch.Tensor, rtol: float = TIGHT, atol: float = 2e-6) -> bool:
    """All entries agree, NaN with NaN. Shapes must be equal."""
    if got.shape != want.shape:
        return False
    a, b = got.detach().double(), want.detach().double()
    return bool(torch.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True).all())


def same_values(got: torch.Tensor, want: torch.Tensor) -> bool:
    """Equal up to shape for one element, else shape for shape."""
    if got.numel() == 1 and want.numel() == 1:
        got, want = got.reshape(()), want.reshape(())
    return close(got, want)


def constant_factor(got: torch.Tensor, want: torch.Tensor) -> float | None:
    """The one c with got = c * want, where the entries agree on it."""
    if got.shape != want.shape or got.numel() == 0:
        return None
    a, b = got.detach().double().reshape(-1), want.detach().double().reshape(-1)
    if not bool(torch.isfinite(a).all()) or float(b.abs().max()) < 1e-6:
        return None
    factor = float((a * b).sum() / (b * b).sum())
    return factor if close(a, factor * b, rtol=1e-3, atol=1e-6) else None


def relation(got: torch.Tensor, want: torch.Tensor) -> str:
    """The simplest sentence that says how `got` relates to `want`, or nothing."""
    a, b = got.detach().double(), want.detach().double()
    tables = a.dim() == 2 and b.dim() == 2 and a.numel() > 1
    if tables and a.T.shape == b.shape and close(a.T, b):
        return "It is the right result, transposed."
    if a.numel() != b.numel() or a.numel() == 0:
        return ""
    a, b = a.reshape(-1), b.reshape(-1)
    bad = ~torch.isfinite(a) & torch.isfinite(b)
    if bool(bad.any()):
        what = "NaN" if bool(a.isnan().any()) else "infinite"
        return f"{int(bad.sum())} of {a.numel()} came out {what}."
    factor = constant_factor(a, b)
    # One value alone is always some multiple of another.
    if factor is not None and abs(factor - 1) < 2e-3:
        return ""
    if factor is not None and (a.numel() > 1 or abs(factor + 1) < 1e-4):
        if abs(factor + 1) < 1e-4:
            return "It is the right result with its sign turned."
        return f"It is {number(factor)} times the right result throughout."
    if a.numel() > 1:
        if float((a + b - 1).abs().max()) < 1e-5:
            return "It is 1 minus the right result throughout."
        shift = a - b
        if float((shift - shift.mean()).abs().max()) < 1e-5:
            return f"It is off by {number(float(shift.mean()))} throughout."
    return ""
