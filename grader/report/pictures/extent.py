"""How far an axis reaches: a few steps only, so that many pictures share one frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

MARGINS = (0.12, 0.6, 1.4)  # of what is expected's own span, on either side


def extent(expected: Iterable[float | None], got: Iterable[float | None]) -> tuple[float, float]:
    """(low, high) around everything expected and, within reason, what came instead.

    What lies further out is cut off at the edge: one number of 1e30 must not flatten the rest.
    """
    known = [value for value in expected if value is not None] or [0.0]
    seen = [value for value in got if value is not None] or known
    low, high = min(known), max(known)
    span = high - low or abs(high) or 1.0
    below = next((m for m in MARGINS if low - m * span <= min(seen)), MARGINS[-1])
    above = next((m for m in MARGINS if high + m * span >= max(seen)), MARGINS[-1])
    return low - below * span, high + above * span


def within(values: Sequence[float | None], bounds: tuple[float, float] | None) -> list[float]:
    """The values for drawing: NaN where there is none, and nothing absurdly far out of bounds."""
    if bounds is None:
        return [float("nan") if value is None else value for value in values]
    low, high = bounds
    reach = high - low
    return [
        float("nan") if value is None else min(max(value, low - reach), high + reach)
        for value in values
    ]
