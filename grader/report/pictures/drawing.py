"""From a picture's data to inline SVG. The same data is drawn once, the same frame once.

A frame is the axes and what is expected: nearly all of the work, and the same for a whole class.
What a submission gave is drawn upon it. Importing this imports matplotlib, which is an extra.
"""

from __future__ import annotations

import types
from typing import Any

import msgspec
from matplotlib.axes import Axes

from grader.report.pictures import arrows, boundary, curve, losses
from grader.report.pictures.canvas import PREFIX, alone, drawing, size, whole
from grader.report.pictures.records import Arrows, Boundary, Curve, Losses, Picture

MOST_FRAMES = 100
MOST_DRAWN = 1_000
_MODULES: dict[type, types.ModuleType] = {
    Curve: curve, Losses: losses, Boundary: boundary, Arrows: arrows,
}  # fmt: skip


class Drawings:
    """Draws pictures, and keeps what it drew: one object for the pages of a whole class."""

    def __init__(self) -> None:
        self._frames: dict[Any, tuple[list[Axes], str, tuple[float, float]]] = {}
        self._drawn: dict[bytes, tuple[str, tuple[float, float]]] = {}

    def inside(self, picture: Picture, prefix: str) -> tuple[str, tuple[float, float]]:
        """(what stands inside of an <svg>, its width and height); `prefix` begins its ids."""
        key = msgspec.msgpack.encode(picture)
        found = self._drawn.get(key)
        if found is None:
            with drawing():
                found = self._draw(picture)
            if len(self._drawn) < MOST_DRAWN:
                self._drawn[key] = found
        return found[0].replace(PREFIX, f"{prefix}-"), found[1]

    def _draw(self, picture: Picture) -> tuple[str, tuple[float, float]]:
        module = _MODULES[type(picture)]
        key = module.frame_key(picture)
        frame = self._frames.get(key)
        if frame is None:
            made, axes = module.frame(picture)
            frame = axes, whole(made), size(made)
            if len(self._frames) < MOST_FRAMES:
                self._frames[key] = frame
        axes, below, extent = frame
        above = [
            alone(ax, artists, f"o{layer}")
            for layer, (ax, artists) in enumerate(module.overlay(picture, axes))
        ]
        return below + "".join(above), extent
