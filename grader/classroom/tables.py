"""grades.csv, and the counts at the end of a batch."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence

import msgspec

from grader.classroom.scores import Scores, scores_of
from grader.classroom.store import Result, Store

STATUS_WORDS = {"graded": "graded", "unreadable": "unreadable", "grader_failed": "grader failed"}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class Row(msgspec.Struct, frozen=True):
    """A submission in the CSV; without a verdict it has no numbers."""

    id: str
    students: tuple[str, ...]
    status: str
    late: bool
    scores: Scores | None
    review: tuple[str, ...] = ()
    overridden: bool = False


def rows_of(store: Store) -> list[Row]:
    """A row for everything that was handed in; `missing` where nothing was graded yet."""
    voids = store.voids()
    rows = []
    for name, late in store.expected():
        result = store.result(name)
        students = store.students(name)
        if result is None:
            rows.append(Row(name, students, "missing", late, None))
            continue
        overrides = store.overrides(name)
        graded = result.status == "graded"
        scores = scores_of(result, overrides, voids) if graded or overrides else None
        review = tuple(result.document["grade"].get("review", ()))
        rows.append(Row(name, students, result.status, late, scores, review, bool(overrides)))
    return rows


def grades_csv(rows: Sequence[Row], exercises: Sequence[str]) -> str:
    """One line a submission, a column an exercise. No verdict is an empty cell, never a zero."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        [
            "id",
            "students",
            "status",
            "late",
            "score",
            "max_score",
            *exercises,
            "overridden",
            "review",
        ]
    )
    for row in rows:
        by_name = {one.name: one.score for one in row.scores.exercises} if row.scores else {}
        writer.writerow(
            [
                safe_cell(row.id),
                safe_cell("; ".join(row.students)),
                STATUS_WORDS.get(row.status, row.status),
                "late" if row.late else "",
                _number(row.scores.score) if row.scores else "",
                _number(row.scores.max_score) if row.scores else "",
                *(_number(by_name[name]) if name in by_name else "" for name in exercises),
                "yes" if row.overridden else "",
                str(len(row.review)) if row.review else "",
            ]
        )
    return out.getvalue()


def safe_cell(text: str) -> str:
    """Text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _number(value: float) -> str:
    return f"{value:.6g}"


def commonest_mistakes(results: Sequence[Result], most: int = 5) -> list[tuple[str, int]]:
    """(slug, submissions that have it), commonest first; those that a TA rejected left out."""
    counts: Counter[str] = Counter()
    for result in results:
        slugs = {
            finding["bug"]
            for exercise in result.document["grade"]["exercises"]
            for finding in exercise["findings"]
            if finding["bug"]
        }
        counts.update(slugs)
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:most]


def distribution(rows: Sequence[Row], bars: int = 5) -> list[tuple[str, int]]:
    """How many submissions lie in each fifth of the points."""
    graded = [row.scores for row in rows if row.scores is not None and row.scores.max_score > 0]
    found = []
    for bar in range(bars):
        low, high = bar / bars, (bar + 1) / bars
        last = bar == bars - 1
        count = sum(
            low <= one.score / one.max_score and (last or one.score / one.max_score < high)
            for one in graded
        )
        found.append((f"{round(100 * low)} to {round(100 * high)} %", count))
    return found
