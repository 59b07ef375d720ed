"""Pictures of what a submission does beside what it should do: data, and drawings of it.

What an assignment's pictures.py imports stands here, without torch and without matplotlib.
"""

from grader.report.pictures.collecting import collect_pictures, makers_in, pictures_of
from grader.report.pictures.numbers import NoPictureError, numbers, rows
from grader.report.pictures.records import (
    Arrows,
    Boundary,
    Curve,
    Line,
    Losses,
    Move,
    Picture,
    Point,
)

__all__ = [
    "Arrows",
    "Boundary",
    "Curve",
    "Line",
    "Losses",
    "Move",
    "NoPictureError",
    "Picture",
    "Point",
    "collect_pictures",
    "makers_in",
    "numbers",
    "pictures_of",
    "rows",
]
