"""From what a call gave to the numbers of a picture. Knows tensors by their methods only."""

from __future__ import annotations

import math
from typing import Any

DIGITS = 6


class NoPictureError(Exception):
    """What came back cannot be drawn. The picture is left out, and nothing else happens."""


def numbers(values: Any, count: int | None = None) -> tuple[float | None, ...]:
    """The numbers in a tensor, an array or a list, flattened, with six digits; null if not finite.

    Raises NoPictureError where there are not `count` of them, or where they are no real numbers.
    """
    flat = _flat(values)
    if count is not None and len(flat) != count:
        raise NoPictureError(f"{count} numbers were due, {len(flat)} came")
    return tuple(flat)


def rows(values: Any, height: int, width: int) -> tuple[tuple[float | None, ...], ...]:
    """`height * width` numbers as that many rows. Raises NoPictureError as `numbers` does."""
    flat = numbers(values, height * width)
    return tuple(flat[start : start + width] for start in range(0, len(flat), width))


def _flat(thing: Any) -> list[float | None]:
    if callable(getattr(thing, "tolist", None)):
        thing = thing.tolist()
    if isinstance(thing, list | tuple):
        return [number for item in thing for number in _flat(item)]
    if isinstance(thing, bool | int | float):
        return [_short(thing)]
    raise NoPictureError(f"{type(thing).__name__} is no number")


def _short(number: float) -> float | None:
    try:
        short = float(f"{float(number):.{DIGITS}g}")
    except OverflowError:
        return None
    return short + 0.0 if math.isfinite(short) else None  # no -0
