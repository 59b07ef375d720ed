"""The class page: one file for staff, with everything about a class in it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from grader.report.class_page import figures
from grader.report.class_page.records import ClassRecords, Handed
from grader.report.style.templates import environment, page

PACKAGE = "grader.report.class_page"
MOST_OPEN = 12  # longer lists are folded at first
HARDEST = 10
STATUS_WORDS = {
    "graded": "graded",
    "unreadable": "unreadable",
    "grader_failed": "grader failed",
    "missing": "not graded yet",
}


def class_page(records: ClassRecords) -> str:
    """The page as HTML. It needs no network, and is readable without its script too."""
    templates = environment(PACKAGE)
    templates.filters["moment"] = moment
    hard = figures.hardest(records.checks)
    return page(
        templates,
        "class_page.html",
        css=("class_page.css",),
        script="class_page.js",
        records=records,
        summary=figures.summary(records),
        bars=figures.distribution(records),
        exercises=figures.exercises(records),
        mistakes=figures.mistakes(records),
        unnamed=figures.unnamed(records),
        hardest=hard[:HARDEST],
        easier=hard[HARDEST:],
        rows=sorted(records.handed, key=lambda one: (one.shown.casefold(), one.id)),
        statuses=_statuses(records),
        flags=_flags(records),
        attention=_attention(records),
        status_words=STATUS_WORDS,
        flags_of=flags_of,
        by_id={one.id: one for one in records.handed},
        most_open=MOST_OPEN,
    )


def moment(seconds: float) -> datetime:
    """A time of day in UTC: the same page on every machine."""
    return datetime.fromtimestamp(seconds, UTC)


def flags_of(one: Handed) -> list[str]:
    """What a row is marked with, in words that the filter knows too."""
    marks = {
        "to look at": one.review,
        "stopped": one.stops,
        "overridden": one.overridden,
        "lower than before": one.before is not None,
        "late": one.late,
    }
    return [name for name, marked in marks.items() if marked]


def _statuses(records: ClassRecords) -> list[tuple[str, int]]:
    counts = [(status, sum(one.status == status for one in records.handed))
              for status in STATUS_WORDS]  # fmt: skip
    return [(status, count) for status, count in counts if count]


def _flags(records: ClassRecords) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    for one in records.handed:
        for flag in flags_of(one):
            counts[flag] = counts.get(flag, 0) + 1
    return sorted(counts.items())


def _attention(records: ClassRecords) -> list[dict[str, Any]]:
    """What needs a person, most pressing first: a title, what to do, and who with which words."""
    return [
        {"name": name, "title": title, "advice": advice, "lines": lines}
        for name, title, advice, lines in (
            (
                "faults",
                "The grader failed on",
                "Run grade batch again: these are tried once more. No zero is given.",
                [(one, (one.why,)) for one in _of(records, "grader_failed")],
            ),
            (
                "look",
                "For a human look",
                "What the source reaches for. It changed no points.",
                [(one, one.review) for one in records.handed if one.review],
            ),
            (
                "unreadable",
                "Unreadable",
                "No verdict, and no zero.",
                [(one, (one.why,)) for one in _of(records, "unreadable")],
            ),
            (
                "missing",
                "Not graded yet",
                "Handed in, but without a result: run grade batch again.",
                [(one, ()) for one in _of(records, "missing")],
            ),
            (
                "stopped",
                "Stopped while running",
                "Time-outs, memory, and processes that ended. What came before still counts.",
                [(one, _stops(one)) for one in records.handed if one.stops],
            ),
            (
                "fallen",
                "Lower than before",
                "Graded again, with fewer points than the last time.",
                [
                    (one, (f"{one.before:g} before, {one.score:g} now",))
                    for one in records.handed
                    if one.before is not None and one.score is not None
                ],
            ),
            (
                "earlier",
                "Earlier attempts, not graded",
                "A newer one took their place.",
                [(one, one.earlier) for one in records.handed if one.earlier],
            ),
        )
        if lines
    ]


def _of(records: ClassRecords, status: str) -> tuple[Handed, ...]:
    return figures.those(records, lambda one: one.status == status)


def _stops(one: Handed) -> tuple[str, ...]:
    return tuple(f"{stop.exercise}: {stop.what}" if stop.exercise else stop.what
                 for stop in one.stops)  # fmt: skip
