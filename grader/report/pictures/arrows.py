"""Moves as arrows from before to after, each row measured by the step that was due."""

from __future__ import annotations

from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from grader.report.pictures.canvas import BAND, INK, THEIRS, figure
from grader.report.pictures.extent import extent
from grader.report.pictures.records import Arrows, Move

ROW = 0.3  # inches


def fraction(move: Move) -> float | None:
    """How far they came: 0 is before, 1 is where it should end."""
    due = move.expected - move.before
    if move.got is None:
        return None
    return (move.got - move.before) / due if due else 0.0


def limits(picture: Arrows) -> tuple[float, float]:
    """Around 0 and 1, and as far as their steps go within reason."""
    return extent([0.0, 1.0], [fraction(move) for move in picture.moves])


def frame_key(picture: Arrows) -> Any:
    """What the frame depends on; the numbers themselves it does not."""
    return "arrows", tuple(move.label for move in picture.moves), limits(picture)


def frame(picture: Arrows) -> tuple[Figure, list[Axes]]:
    """A row for each number, and where it should go."""
    count = len(picture.moves)
    height = ROW * count + 0.5
    made = figure(4.6, height)
    ax = made.add_axes((0.15, 0.36 / height, 0.82, ROW * count / height))
    low, high = limits(picture)
    ax.set_xlim(low, high)
    ax.set_ylim(count - 0.5, -0.5)
    ax.grid(False, axis="y")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.set_yticks(range(count), [move.label for move in picture.moves])
    ax.set_xticks([0, 1], ["before", "expected"])
    for row in range(count):
        _arrow(ax, row, 1.0, BAND, 5.0)
        ax.plot([0], [row], "o", color=INK, markersize=4.5, zorder=4)
    return made, [ax]


def overlay(picture: Arrows, axes: list[Axes]) -> list[tuple[Axes, list[Artist]]]:
    """Where each went; a ring where it stayed."""
    (ax,) = axes
    low, high = limits(picture)
    artists: list[Artist] = []
    for row, move in enumerate(picture.moves):
        came = fraction(move)
        if came is None:
            continue
        if abs(came) < (high - low) / 60:
            artists += ax.plot(
                [0], [row], "o", markersize=10, markerfacecolor="none", markeredgecolor=THEIRS,
                markeredgewidth=1.9,
            )  # fmt: skip
            continue
        artists.append(_arrow(ax, row, min(max(came, low), high), THEIRS, 1.9))
        if not low <= came <= high:
            artists.append(ax.text(
                low if came < low else high, row - 0.34, f"{came:.3g} steps", color=THEIRS,
                ha="left" if came < low else "right", va="center", fontsize=9,
            ))  # fmt: skip
    return [(ax, artists)]


def _arrow(ax: Axes, row: int, to: float, color: str, width: float) -> Artist:
    made = FancyArrowPatch(
        (0, row), (to, row), arrowstyle="-|>", mutation_scale=6 + 2 * width, color=color,
        linewidth=width, shrinkA=0, shrinkB=0, joinstyle="miter", capstyle="butt",
        zorder=2,
    )  # fmt: skip
    return ax.add_patch(made)
