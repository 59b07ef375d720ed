"""Something drawn elsewhere that a page shows after an exercise's findings."""

from __future__ import annotations

from msgspec import Struct


class Panel(Struct, frozen=True):
    """`body` is SVG or HTML of the grader's own making and goes into the page as it stands.

    Whoever makes it escapes what a student wrote, begins its ids with something of its own and
    needs no script. `alternative` says the same in words.
    """

    exercise: str
    title: str
    body: str
    alternative: str
