"""Whatever a check saw, as JSON that is valid everywhere."""

from __future__ import annotations

import math
from typing import Any

import msgspec

_DEEPEST = 20
_MOST_ITEMS = 1000
_LONGEST_TEXT = 20_000
_WIDEST_NUMBER = 1024  # bits; turning longer ones into digits takes too long or is refused


def plain(value: Any, depth: int = 0) -> Any:
    """`value` as None, bool, int, finite float, str, list or dict with text keys.

    Non-finite numbers become "nan", "inf", "-inf"; tensors and arrays nested lists; records
    objects; anything else its type's name. Never raises on what JSON cannot hold.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return text(value)
    if isinstance(value, int):
        wide = value.bit_length() > _WIDEST_NUMBER
        return f"about 2**{value.bit_length() - 1}" if wide else int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else _named(value)
    if depth >= _DEEPEST:
        return "..."
    if isinstance(value, complex):
        return [plain(value.real), plain(value.imag)]
    if isinstance(value, dict):
        items = list(value.items())[:_MOST_ITEMS]
        return {text(str(key)): plain(item, depth + 1) for key, item in items}
    if isinstance(value, list | tuple):
        cut = [plain(item, depth + 1) for item in value[:_MOST_ITEMS]]
        return [*cut, "..."] if len(value) > _MOST_ITEMS else cut
    if isinstance(value, set | frozenset):
        return plain(sorted(value, key=repr), depth + 1)
    if isinstance(value, msgspec.Struct):
        return plain(msgspec.structs.asdict(value), depth + 1)
    # Tensors and arrays of either library, without importing one.
    listed = getattr(value, "tolist", None)
    if callable(listed):
        return plain(listed(), depth + 1)
    return type(value).__name__


def text(value: str) -> str:
    """`value` without halves of surrogate pairs, which UTF-8 cannot hold, and cut when huge."""
    if len(value) > _LONGEST_TEXT:
        value = value[:_LONGEST_TEXT] + "..."
    return value.encode("utf-8", "backslashreplace").decode("utf-8")


def _named(value: float) -> str:
    if math.isnan(value):
        return "nan"
    return "inf" if value > 0 else "-inf"
