"""The data of a picture: plain frozen records, small enough to stand in a report.

A number that is not finite is null: there is no place for it in a picture.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

MOST_POINTS = 64
MOST_STEPS = 400
MOST_CELLS = 32

_Text = Annotated[str, Meta(max_length=120)]
_Number = float | None
_Numbers = Annotated[tuple[_Number, ...], Meta(max_length=MOST_POINTS)]
_Steps = Annotated[tuple[_Number, ...], Meta(max_length=MOST_STEPS)]
_Axis = Annotated[tuple[float, ...], Meta(min_length=2, max_length=MOST_CELLS)]
_Row = Annotated[tuple[_Number, ...], Meta(max_length=MOST_CELLS)]
_Grid = Annotated[tuple[_Row, ...], Meta(max_length=MOST_CELLS)]


class Line(Struct, frozen=True):
    """A function of one number: what was expected and what came, at each `x`."""

    label: _Text
    x: _Numbers
    expected: _Numbers
    got: _Numbers


class Curve(Struct, frozen=True, tag_field="kind", tag="curve"):
    """Functions of one number, side by side; the difference is shaded."""

    title: _Text
    x_label: _Text
    y_label: _Text
    lines: Annotated[tuple[Line, ...], Meta(min_length=1, max_length=3)]


class Losses(Struct, frozen=True, tag_field="kind", tag="losses"):
    """Two trainings from the same start, a loss a step.

    `each_round` is how many steps one pass over the samples takes; 0 where that means nothing.
    """

    title: _Text
    expected: _Steps
    got: _Steps
    each_round: Annotated[int, Meta(ge=0)] = 0


class Point(Struct, frozen=True):
    """A sample in the plane and the side it is on: 1 or 0."""

    x: float
    y: float
    label: Annotated[int, Meta(ge=0, le=1)]


class Boundary(Struct, frozen=True, tag_field="kind", tag="boundary"):
    """Where two classifiers of the plane change sides: at `level` of their values.

    The grids have a row for each of `y` and in it a value for each of `x`.
    """

    title: _Text
    x_label: _Text
    y_label: _Text
    x: _Axis
    y: _Axis
    expected: _Grid
    got: _Grid
    points: Annotated[tuple[Point, ...], Meta(max_length=MOST_POINTS)] = ()
    level: float = 0.5


class Move(Struct, frozen=True):
    """One number that a function was to change in place."""

    label: _Text
    before: float
    expected: float
    got: _Number


class Arrows(Struct, frozen=True, tag_field="kind", tag="arrows"):
    """Numbers before a call, where they should have moved, and where they did."""

    title: _Text
    moves: Annotated[tuple[Move, ...], Meta(min_length=1, max_length=12)]


Picture = Curve | Losses | Boundary | Arrows
