"""A square in the plane: how sure they are of side 1 as a shade, the boundaries as lines."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grader.report.pictures.canvas import BAND, INK, PAPER, THEIRS, figure
from grader.report.pictures.records import Boundary

SHADES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
DARKEST = 0.5


def frame_key(picture: Boundary) -> Any:
    """What the frame depends on."""
    axes = picture.x_label, picture.y_label, picture.x, picture.y
    return "boundary", axes, picture.expected, picture.level


def frame(picture: Boundary) -> tuple[Figure, list[Axes]]:
    """Axes and the expected boundary."""
    made = figure(3.6, 3.4)
    ax = made.add_axes((0.15, 0.15, 0.81, 0.82))
    ax.grid(False)
    ax.set_xlim(picture.x[0], picture.x[-1])
    ax.set_ylim(picture.y[0], picture.y[-1])
    ax.set_xlabel(picture.x_label)
    ax.set_ylabel(picture.y_label)
    ax.locator_params(nbins=2)
    _line(ax, picture, picture.expected, BAND, 6.0)
    return made, [ax]


def overlay(picture: Boundary, axes: list[Axes]) -> list[tuple[Axes, list[Artist]]]:
    """Their shades and boundary, and the samples: full for side 1, empty for side 0."""
    (ax,) = axes
    got = np.ma.masked_invalid(_grid(picture.got))
    artists: list[Artist] = []
    if got.count():
        shades = [(THEIRS, DARKEST * level) for level in (0.0, 0.2, 0.45, 0.7, 1.0)]
        artists.append(
            ax.contourf(
                picture.x, picture.y, np.clip(got, 0, 1), levels=SHADES, colors=shades, zorder=1
            )
        )
        artists += _line(ax, picture, picture.got, THEIRS, 1.9)
    for label, face in ((1, INK), (0, PAPER)):
        places = [point for point in picture.points if point.label == label]
        artists += ax.plot(
            [point.x for point in places], [point.y for point in places], "o", markersize=5.5,
            markerfacecolor=face, markeredgecolor=INK, markeredgewidth=1.1, zorder=5,
        )  # fmt: skip
    return [(ax, artists)]


def _line(ax: Axes, picture: Boundary, grid: Any, color: str, width: float) -> list[Artist]:
    """Where a grid crosses the level; nothing where it does not."""
    values = np.ma.masked_invalid(_grid(grid))
    if not values.count() or not values.min() < picture.level < values.max():
        return []
    levels = [picture.level]
    return [ax.contour(picture.x, picture.y, values, levels, colors=color, linewidths=width)]


def _grid(rows: Any) -> Any:
    return np.array([[np.nan if v is None else v for v in row] for row in rows], dtype=float)
