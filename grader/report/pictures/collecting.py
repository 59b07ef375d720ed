"""An assignment's pictures.py: which exercise gets which pictures, and collecting their data.

    @pictures_of("square")
    def on_one_axis(student, oracle):
        x = torch.linspace(-2, 2, 41)
        line = Line("", numbers(x), numbers(oracle.square(x)), numbers(student.square(x), 41))
        yield Curve("square", "x", "square(x)", (line,))

`student` and `oracle` are called as in a check. What was yielded before a call failed is kept.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Collection, Iterator
from typing import Any

import msgspec

from grader.report.pictures.records import Picture

Maker = Callable[[Any, Any], Iterator[Picture]]

MOST_PICTURES = 4  # of one exercise


def pictures_of(exercise: str) -> Callable[[Maker], Maker]:
    """Mark a generator function as what makes an exercise's pictures."""

    def mark(maker: Maker) -> Maker:
        maker.__pictures_of__ = exercise  # type: ignore[attr-defined]
        return maker

    return mark


def makers_in(module: types.ModuleType) -> dict[str, list[Maker]]:
    """The marked functions of a module, by exercise, in the order in which they are written."""
    found: dict[str, list[Maker]] = {}
    for thing in list(vars(module).values()):
        exercise = getattr(thing, "__pictures_of__", None)
        if isinstance(exercise, str):
            found.setdefault(exercise, []).append(thing)
    return found


def collect_pictures(
    makers: dict[str, list[Maker]],
    exercises: Collection[str],
    student: Any,
    oracle: Any,
    *,
    strict: bool = False,
) -> dict[str, tuple[Picture, ...]]:
    """The pictures of these exercises, as far as the submission answers.

    A picture costs no points and no verdict: whatever goes wrong leaves it out. `strict` raises
    it instead, for an author who wants to see why.
    """
    found: dict[str, tuple[Picture, ...]] = {}
    for exercise in exercises:
        made: list[Picture] = []
        for maker in makers.get(exercise, ()):
            student.begin(f"pictures of {exercise}")
            try:
                for picture in maker(student, oracle):
                    made.append(_checked(picture))
            except Exception:
                if strict:
                    raise
        if made:
            found[exercise] = tuple(made[:MOST_PICTURES])
    return found


def _checked(picture: Picture) -> Picture:
    """The same, within the bounds that the records name. Raises msgspec.ValidationError."""
    checked: Picture = msgspec.convert(msgspec.to_builtins(picture), Picture)
    return checked
