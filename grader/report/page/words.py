"""Text for a page. What a student's code said is cleaned here and escaped, never markup."""

from __future__ import annotations

import math
from typing import Any

from markupsafe import Markup, escape

from grader.report.screen import clean, points

LONGEST_VALUE = 60


def inline(text: str) -> Markup:
    """`text` with what stands between backticks as code."""
    parts = clean(text).split("`")
    if len(parts) % 2 == 0:  # one is without its partner
        parts[-2:] = ["`".join(parts[-2:])]
    shown = [
        Markup("<code>{}</code>").format(part) if place % 2 and part else escape(part)
        for place, part in enumerate(parts)
    ]
    return Markup("").join(shown)


def capital(text: str, names: tuple[str, ...] = ()) -> str:
    """`text` with a capital letter, unless it begins with code or with one of these names."""
    first = text.split(" ", 1)[0].strip(":,")
    plain = first.replace("-", "").replace("'", "").isalpha()
    return text[:1].upper() + text[1:] if plain and first not in names else text


def place(cell: int | None, line: int | None, end: int | None = None) -> str:
    """cell 3, lines 4 to 7; nothing where nothing is known."""
    parts = [f"cell {cell}"] if cell is not None else []
    if line is not None:
        parts.append(f"lines {line} to {end}" if end and end > line else f"line {line}")
    return ", ".join(parts)


def value(thing: Any) -> str | None:
    """A value of the evidence as a table shows it; None where it is nothing for a table."""
    if isinstance(thing, bool) or thing is None:
        return None
    if isinstance(thing, int | float):
        return f"{thing:.6g}" if math.isfinite(thing) else str(thing)
    if isinstance(thing, str) and 0 < len(thing) <= LONGEST_VALUE:
        return clean(thing)
    return None


def difference(got: Any, expected: Any) -> str | None:
    """got - expected, where both are numbers."""
    if isinstance(got, int | float) and isinstance(expected, int | float):
        return f"{got - expected:+.6g}"
    return None


def of_points(score: float, most: float) -> str:
    """2.5 of 4 points."""
    return f"{points(score)} of {points(most)} {'point' if most == 1 else 'points'}"
