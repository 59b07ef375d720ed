"""A class in numbers: what both pages count."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

from msgspec import Struct

from grader.report.class_page.records import Check, ClassRecords, Handed

BARS = 10
STATUSES = ("passed", "partial", "failed", "not_attempted")


class Summary(Struct, frozen=True):
    """The class at a glance; `median` and `possible` are None where nothing is graded."""

    handed: int
    graded: int
    full: int
    median: float | None
    possible: float | None


class Bar(Struct, frozen=True):
    """How many submissions have from `low` up to `high` percent of their points."""

    low: int
    high: int
    count: int


class ExerciseFigure(Struct, frozen=True):
    """One exercise: `counts` are by status, as in STATUSES, of `judged` submissions."""

    name: str
    max_score: float
    counts: tuple[int, ...]
    mean: float | None

    @property
    def judged(self) -> int:
        return sum(self.counts)


class MistakeFigure(Struct, frozen=True):
    """A mistake and who made it: `where` has the submissions by exercise, `count` each once."""

    slug: str
    title: str
    count: int
    where: tuple[tuple[str, tuple[Handed, ...]], ...]


def summary(records: ClassRecords) -> Summary:
    """How many there are, and the middle one's points."""
    scores = [one.score for one in _graded(records) if one.score is not None]
    full = sum(share(one) == 1 for one in _graded(records))
    possible = sum(records.max_scores) if scores else None
    median = statistics.median(scores) if scores else None
    return Summary(len(records.handed), len(scores), full, median, possible)


def share(one: Handed) -> float | None:
    """The part of its points that a submission has, 0 to 1; None without a verdict."""
    if one.status != "graded" or one.score is None or not one.max_score:
        return None
    return min(1.0, max(0.0, one.score / one.max_score))


def distribution(records: ClassRecords) -> tuple[Bar, ...]:
    """The submissions by tenths of their points; full marks stand in the last."""
    counts = [0] * BARS
    for one in records.handed:
        part = share(one)
        if part is not None:
            # A hair above: 0.7 * 10 must not fall into the tenth below for how it is stored.
            counts[min(BARS - 1, int(part * BARS + 1e-9))] += 1
    step = 100 // BARS
    return tuple(Bar(i * step, (i + 1) * step, count) for i, count in enumerate(counts))


def exercises(records: ClassRecords) -> tuple[ExerciseFigure, ...]:
    """How each exercise went, in the assignment's order."""
    found = []
    for place, (name, most) in enumerate(zip(records.exercises, records.max_scores, strict=True)):
        cells = [cell for one in _graded(records) if (cell := one.cells[place]) is not None]
        counts = tuple(sum(cell.status == status for cell in cells) for status in STATUSES)
        mean = statistics.fmean(cell.score for cell in cells) if cells else None
        found.append(ExerciseFigure(name, most, counts, mean))
    return tuple(found)


def mistakes(records: ClassRecords) -> tuple[MistakeFigure, ...]:
    """Those with a name, commonest first."""
    holders: dict[str, dict[str, list[Handed]]] = {}
    for one in records.handed:
        for found in dict.fromkeys(one.mistakes):
            if found.slug:
                holders.setdefault(found.slug, {}).setdefault(found.exercise, []).append(one)
    figures = [
        _figure(slug, records.titles.get(slug, slug), where, records.exercises)
        for slug, where in holders.items()
    ]
    return tuple(sorted(figures, key=lambda figure: (-figure.count, figure.slug)))


def unnamed(records: ClassRecords) -> MistakeFigure:
    """Who lost points for something that has no name."""
    where: dict[str, list[Handed]] = {}
    for one in records.handed:
        for found in dict.fromkeys(one.mistakes):
            if not found.slug:
                where.setdefault(found.exercise, []).append(one)
    return _figure("", "not recognised", where, records.exercises)


def hardest(checks: Sequence[Check]) -> tuple[Check, ...]:
    """Checks at which any points were lost, hardest first; a voided one is none of them."""
    lost = [check for check in checks if check.judged > check.full and not check.voided]
    return tuple(sorted(lost, key=lambda check: (check.full / check.judged, check.id)))


def those(records: ClassRecords, wanted: Callable[[Handed], object]) -> tuple[Handed, ...]:
    """The submissions for which `wanted` is true of."""
    return tuple(one for one in records.handed if wanted(one))


def _graded(records: ClassRecords) -> tuple[Handed, ...]:
    return those(records, lambda one: one.status == "graded")


def _figure(
    slug: str, title: str, where: dict[str, list[Handed]], order: Sequence[str]
) -> MistakeFigure:
    places = {name: place for place, name in enumerate(order)}
    by_exercise = sorted(where.items(), key=lambda item: (places.get(item[0], len(places)), item))
    people = {one.id for found in where.values() for one in found}
    return MistakeFigure(
        slug, title, len(people), tuple((name, tuple(found)) for name, found in by_exercise)
    )
