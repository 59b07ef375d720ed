"""Points as an LMS takes them: checked here, because many of them read a bad number as another."""

from __future__ import annotations

import math
from collections.abc import Iterable

from grader.errors import UsageError

_ROUNDING = 1e-9  # sums of fractions may be off by so much of the maximum
_FACTORS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 20, 24, 60, 100)


def checked(score: float, most: float, where: str) -> tuple[float, float]:
    """(score, maximum), finite and 0 <= score <= maximum; what addition made too much is cut.

    Raises UsageError for anything else, which an LMS would misread in silence.
    """
    for number in (score, most):
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise UsageError(f"{where}: {number!r} is no number of points")
        if not math.isfinite(number):
            raise UsageError(f"{where}: {number} is no number of points")
    slack = _ROUNDING * max(abs(most), 1.0)
    if score < -slack or most < 0:
        raise UsageError(f"{where}: {min(score, most):g} points are fewer than none")
    if score > most + slack:
        raise UsageError(
            f"{where}: {score!r} of {most:g} points is more than there are",
            "`grade override` or `grade void` set it right.",
        )
    return min(max(float(score), 0.0), float(most)), float(most)


def fraction(score: float, most: float, where: str) -> float:
    """The score as a part of 1, never outside of 0 to 1. Raises UsageError."""
    score, most = checked(score, most, where)
    if most == 0:
        raise UsageError(f"{where}: there are no points to be had, so no part of them")
    return min(max(score / most, 0.0), 1.0)


def scaled(score: float, most: float, target: float, where: str) -> float:
    """The score on another maximum. Raises UsageError."""
    score, most = checked(score, most, where)
    if most == target:
        return score
    return min(fraction(score, most, where) * target, target)


def written(value: float) -> str:
    """A number with a point for decimals, at most six, and no exponent."""
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def whole_factor(values: Iterable[float]) -> int:
    """What all values are to be multiplied by to be whole numbers; 100 where nothing small does."""
    numbers = list(values)
    for factor in _FACTORS:
        if all(abs(value * factor - round(value * factor)) < 1e-6 for value in numbers):
            return factor
    return 100


def read_number(text: str) -> float | None:
    """A number in a sheet, decimal comma or point; None for anything else."""
    plain = text.strip().replace("\u00a0", "").replace(" ", "")
    if "," in plain and "." not in plain:
        plain = plain.replace(",", ".")
    elif "," in plain:
        plain = plain.replace(",", "")
    try:
        value = float(plain)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in plain else None
