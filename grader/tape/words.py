"""The sentences about a tape: for the terminal, and for whoever cannot see the picture."""

from __future__ import annotations

import math
from collections.abc import Sequence

from grader.student.worker.tape_records import Spot
from grader.submission import display_place

_AS_WRITTEN = {
    "data": "`.data`",
    "tensor": "`torch.tensor(...)`",
    "as_tensor": "`torch.as_tensor(...)`",
    "__float__": "`float(...)`",
    "__int__": "`int(...)`",
    "__array__": "NumPy",
    "__setitem__": "writing into another tensor",
    "matmul": "`@`", "__rmatmul__": "`@`", "mul": "`*`", "add": "`+`", "sub": "`-`", "div": "`/`",
    "neg": "`-`", "gt": "`>`", "lt": "`<`", "ge": "`>=`", "le": "`<=`", "eq": "`==`", "ne": "`!=`",
}  # fmt: skip


def operation_text(name: str, recording: bool = True) -> str:
    """An operation as a line of code has it: `.detach()`; or that nothing was recorded."""
    if not recording:
        return "recording is off"
    return _AS_WRITTEN.get(name, f"`.{name.strip('_') if name.startswith('__') else name}()`")


def place_text(spot: Spot | None) -> str:
    """`line 9`, `cell 3, line 2`; nothing for an unknown place."""
    if spot is None:
        return ""
    cell, line = display_place(spot.filename, spot.line)
    return f"line {line}" if cell is None else f"cell {cell}, line {line}"


def places_text(spots: Sequence[Spot]) -> str:
    """Several places in one phrase: `lines 9, 12 and 15`."""
    if len(spots) == 1:
        return place_text(spots[0])
    lines = sorted({display_place(spot.filename, spot.line) for spot in spots}, key=str)
    if len({cell for cell, _ in lines}) > 1:
        return listed([place_text(spot) for spot in spots])
    cell = lines[0][0]
    numbers = sorted({line for _, line in lines})
    where = "" if cell is None else f"cell {cell}, "
    return f"{where}line{'s' if len(numbers) > 1 else ''} {listed([str(n) for n in numbers])}"


def function_text(spot: Spot) -> str:
    """` in area`; nothing for a line outside of any function."""
    return f" in {spot.function}" if spot.function.isidentifier() else ""


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""


def count(shape: tuple[int, ...]) -> int:
    """How many elements a tensor of this shape has."""
    return math.prod(shape)
