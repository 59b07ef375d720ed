"""Two trainings: a faint line a step, and the mean of each round upon it."""

from __future__ import annotations

from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grader.report.pictures.canvas import BAND, THEIRS, figure
from grader.report.pictures.extent import extent, within
from grader.report.pictures.records import Losses

Steps = tuple[float | None, ...]


def limits(picture: Losses) -> tuple[float, float]:
    """From a little below zero to what both need."""
    low, high = extent(picture.expected, picture.got)
    return (low if low < -high / 4 else min(0.0, low)), high


def frame_key(picture: Losses) -> Any:
    """What the frame depends on."""
    return "losses", picture.expected, picture.each_round, limits(picture)


def frame(picture: Losses) -> tuple[Figure, list[Axes]]:
    """Axes and what is expected."""
    made = figure(4.6, 2.7)
    ax = made.add_axes((0.135, 0.18, 0.845, 0.77))
    bounds = limits(picture)
    ax.set_ylim(*bounds)
    ax.set_xlim(0, max(len(picture.expected) - 1, 1))
    ax.set_xlabel("step")
    ax.set_ylabel("loss")
    ax.locator_params(nbins=6, axis="x")
    ax.locator_params(nbins=4, axis="y")
    losses = within(picture.expected, bounds)
    mean = picture.each_round > 0 and len(losses) >= 2 * picture.each_round
    ax.plot(losses, color=BAND, linewidth=3.0, alpha=0.45 if mean else 1.0)
    if mean:
        ax.plot(*_means(losses, picture.each_round), color=BAND, linewidth=5.0)
    return made, [ax]


def overlay(picture: Losses, axes: list[Axes]) -> list[tuple[Axes, list[Artist]]]:
    """Their losses."""
    (ax,) = axes
    losses = within(picture.got[: len(picture.expected)], limits(picture))
    every = picture.each_round
    mean = every > 0 and len(picture.got) == len(picture.expected) >= 2 * every
    artists: list[Artist] = list(
        ax.plot(losses, color=THEIRS, linewidth=0.9, alpha=0.55 if mean else 1.0)
    )
    if mean:
        artists += ax.plot(*_means(losses, every), color=THEIRS, linewidth=1.9)
    return [(ax, artists)]


def _means(losses: list[float], every: int) -> tuple[list[float], list[float]]:
    """(the middle of each round, its mean)."""
    starts = range(0, len(losses) - every + 1, every)
    middles = [start + (every - 1) / 2 for start in starts]
    return middles, [sum(losses[start : start + every]) / every for start in starts]
