"""The class without anybody in it: what may be shown in a lecture.

Three rules, so that no number speaks of a few people, and none can be worked out:
a group counts only where it and the rest of the class have at least five submissions each; what
is smaller is merged with its neighbour or not given; every number is rounded to a multiple of
five, so that the difference of two of them is not the size of a group either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from grader.errors import UsageError
from grader.report.class_page import figures
from grader.report.class_page.records import ClassRecords
from grader.report.style.templates import environment, page

FEWEST = 5
MOST_LISTED = 8
_NEARLY_ALL = (
    "nearly everybody has full marks",
    "nearly everybody has some of the points",
    "nearly nobody has points",
)


class Group(Struct, frozen=True):
    """So many submissions, rounded, and what they have in common."""

    label: str
    about: int
    kind: str = ""


class Exercise(Struct, frozen=True):
    """How one exercise went: groups that make up the class, or words where one is too small."""

    name: str
    groups: tuple[Group, ...] = ()
    words: str = ""


class Anonymous(Struct, frozen=True):
    """Everything that the page says."""

    title: str
    about: int
    bars: tuple[Group, ...]
    exercises: tuple[Exercise, ...]
    mistakes: tuple[Group, ...]
    checks: tuple[Group, ...]


def anonymous_page(records: ClassRecords) -> str:
    """The page as HTML. Raises UsageError for a class in which a number would be a person."""
    return page(
        environment("grader.report.class_page"),
        "anonymous.html",
        css=("class_page.css", "anonymous.css"),
        shown=anonymous(records),
    )


def anonymous(records: ClassRecords) -> Anonymous:
    """What may be said of the submissions with a verdict. Raises UsageError for under five."""
    count = figures.summary(records).graded
    if count < FEWEST:
        raise UsageError(
            f"fewer than {FEWEST} submissions have a verdict",
            "Without names, too, each number would speak of somebody.",
        )
    mistakes = [
        Group(one.title, rounded(one.count))
        for one in figures.mistakes(records)
        if _large(one.count, count)
    ]
    checks = [
        Group(f"{check.exercise}: {check.title}", rounded(check.judged - check.full))
        for check in records.checks
        if not check.hidden and not check.voided and _large(check.judged - check.full, count)
    ]
    return Anonymous(
        title=records.title,
        about=rounded(count),
        bars=_merged(figures.distribution(records)),
        exercises=tuple(_exercise(one, count) for one in figures.exercises(records) if one.judged),
        mistakes=_commonest(mistakes),
        checks=_commonest(checks),
    )


def rounded(count: int) -> int:
    """To the nearest multiple of five."""
    return FEWEST * round(count / FEWEST)


def _large(count: int, of: int) -> bool:
    return count >= FEWEST and of - count >= FEWEST


def _commonest(groups: Iterable[Group]) -> tuple[Group, ...]:
    """By the rounded number, so that their order says no more than the numbers do."""
    return tuple(sorted(groups, key=lambda one: (-one.about, one.label)))[:MOST_LISTED]


def _merged(bars: Sequence[figures.Bar]) -> tuple[Group, ...]:
    """Neighbours put together until each bar has five; the top ones are kept apart longest."""
    found: list[tuple[int, int, int]] = []
    low, count = bars[0].low, 0
    for bar in bars:
        count += bar.count
        if count >= FEWEST:
            found.append((low, bar.high, count))
            low, count = bar.high, 0
    if low < bars[-1].high:
        start, _, before = found.pop()
        found.append((start, bars[-1].high, before + count))
    return tuple(Group(f"{low} to {high}", rounded(count)) for low, high, count in found)


def _exercise(one: figures.ExerciseFigure, count: int) -> Exercise:
    full, some, *_ = one.counts
    none = count - full - some  # tried in vain, not tried, or not judged
    parts = (full, some, none)
    splits = (
        (("full marks", full, "1"), ("some points", some, "2"), ("none", none, "3")),
        (("full marks", full, "1"), ("less", some + none, "2")),
        (("full marks or some points", full + some, "1"), ("none", none, "3")),
    )
    for split in splits:
        if all(size >= FEWEST for _, size, _ in split):
            groups = tuple(Group(label, rounded(size), kind) for label, size, kind in split)
            return Exercise(one.name, groups)
    # Where one of the three has nearly everybody, that can be said: a bound is no number.
    for size, words in zip(parts, _NEARLY_ALL, strict=True):
        if count - size < FEWEST <= size:
            return Exercise(one.name, words=words)
    return Exercise(one.name, words=f"not shown: groups under {FEWEST}")
