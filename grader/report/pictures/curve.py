"""Functions of one number on their axes: expected as a broad band, theirs as a line upon it."""

from __future__ import annotations

from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grader.report.pictures.canvas import BAND, THEIRS, figure
from grader.report.pictures.extent import extent, within
from grader.report.pictures.records import Curve

BROAD: dict[str, Any] = {"color": BAND, "linewidth": 5.0}
THIN: dict[str, Any] = {"color": THEIRS, "linewidth": 1.7}


def limits(picture: Curve) -> tuple[float, float]:
    """One vertical axis for all lines."""
    return extent(
        [value for line in picture.lines for value in line.expected],
        [value for line in picture.lines for value in line.got],
    )


def frame_key(picture: Curve) -> Any:
    """What the frame depends on."""
    lines = tuple((line.label, line.x, line.expected) for line in picture.lines)
    return "curve", picture.x_label, picture.y_label, lines, limits(picture)


def frame(picture: Curve) -> tuple[Figure, list[Axes]]:
    """Axes and what is expected."""
    made = figure(4.6, 2.7)
    bounds = limits(picture)
    count = len(picture.lines)
    left, right, gap = 0.135, 0.02, 0.03
    width = (1 - left - right - gap * (count - 1)) / count
    axes = []
    for number, line in enumerate(picture.lines):
        box = (left + number * (width + gap), 0.18, width, 0.73)
        ax = made.add_axes(box)
        ax.set_ylim(*bounds)
        x = [value for value in line.x if value is not None]
        ax.set_xlim(min(x), max(x))
        ax.locator_params(nbins=6, axis="x")
        ax.locator_params(nbins=4, axis="y")
        ax.set_xlabel(picture.x_label)
        if number == 0:
            ax.set_ylabel(picture.y_label)
        else:
            ax.tick_params(labelleft=False)
        if line.label:
            ax.set_title(line.label, fontsize=10)
        ax.plot(within(line.x, bounds=None), within(line.expected, bounds), **BROAD)
        axes.append(ax)
    return made, axes


def overlay(picture: Curve, axes: list[Axes]) -> list[tuple[Axes, list[Artist]]]:
    """Their line, and the difference shaded."""
    bounds = limits(picture)
    drawn: list[tuple[Axes, list[Artist]]] = []
    for ax, line in zip(axes, picture.lines, strict=True):
        x = within(line.x, bounds=None)
        got, due = within(line.got, bounds), within(line.expected, bounds)
        known = [a == a and b == b for a, b in zip(got, due, strict=True)]
        shade = ax.fill_between(x, due, got, where=known, color=THEIRS, alpha=0.16, linewidth=0)
        (thin,) = ax.plot(x, got, **THIN)
        drawn.append((ax, [shade, thin]))
    return drawn
