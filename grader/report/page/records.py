"""What a page says, in the order in which it says it: plain records for the templates."""

from __future__ import annotations

from markupsafe import Markup
from msgspec import Struct

from grader.report.page.excerpt import Excerpt
from grader.report.page.panel import Panel
from grader.report.pictures.describing import Words


class Drawn(Struct, frozen=True):
    """A picture; `inside` of an <svg> is None where it cannot be drawn here."""

    kind: str
    id: str
    title: str
    words: Words
    inside: Markup | None
    width: float
    height: float


class Finding(Struct, frozen=True):
    """One mistake. `table` is (head, value) pairs."""

    title: Markup
    place: str
    lines: tuple[Markup, ...]
    why: Markup | None
    code: Excerpt | None
    code_file: str
    table: tuple[tuple[str, str], ...]
    hints: tuple[Markup, ...]
    handout: str
    slug: str
    output: str
    seen_by: str
    hidden: bool


class CheckLine(Struct, frozen=True):
    """One check and what it gave."""

    title: str
    points: str
    passed: bool
    with_pieces: bool


class Part(Struct, frozen=True):
    """One exercise in the strip of all points: where it begins, how wide, how much is earned.

    In hundredths of the strip's width.
    """

    status: str
    x: float
    width: float
    full: float


class Exercise(Struct, frozen=True):
    """One exercise with all that is said of it."""

    id: str
    name: str
    status: str
    word: str
    sign: str
    score: str
    most: str
    said: str
    later: str
    handout: str
    findings: tuple[Finding, ...]
    pictures: tuple[Drawn, ...]
    panels: tuple[Panel, ...]
    checks: tuple[CheckLine, ...]
    stood_in: str
    decided: str


class Advice(Struct, frozen=True):
    """Worth knowing, with the line that it is about."""

    exercise: str
    place: str
    message: Markup
    code: Excerpt | None


class PageView(Struct, frozen=True):
    """The whole page."""

    title: str
    heading: str
    files: tuple[str, ...]
    students: tuple[str, ...]
    status: str
    score: str
    most: str
    full: bool
    sentence: str
    next: Markup
    next_id: str
    strip: tuple[Part, ...]
    exercises: tuple[Exercise, ...]
    mend: tuple[Exercise, ...]
    unwritten: tuple[Exercise, ...]
    passed: tuple[Exercise, ...]
    stood_in: tuple[str, ...]
    advice: tuple[Advice, ...]
    notes: tuple[str, ...]
    review: tuple[str, ...]
    voided: tuple[str, ...]
    facts: tuple[tuple[str, str, bool], ...]
    lacks_pictures: bool
