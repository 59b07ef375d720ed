"""Many reports as one table that fits 80 columns."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from grader.report.model import ExerciseEntry, Report
from grader.report.screen import SIGNS, STYLES, WORDS, Screen, clean, points

_LONGEST_ID = 22


def class_table(
    rows: Sequence[Report], *, width: int | None = None, color: bool | None = None
) -> str:
    """A line a submission: score, a sign and points an exercise, the first mistake.

    Exercises are numbered; a legend below names them.
    """
    screen = Screen(width or 80, color)
    exercises = _exercises(rows)
    ids = [_cut(clean(report.submission.id), _LONGEST_ID) for report in rows]
    wide_id = max([len("submission"), *map(len, ids)])
    scores = [_score(report) for report in rows]
    wide_score = max([len("points"), *map(len, scores)])
    cells = [[_cell(_entry(report, name)) for name in exercises] for report in rows]
    widths = [
        max([len(str(number)), *(len(row[number - 1][0]) for row in cells)])
        for number in range(1, len(exercises) + 1)
    ]
    head = f"{'submission':<{wide_id}}  {'points':>{wide_score}}  "
    head += " ".join(f"{number:<{wide}}" for number, wide in enumerate(widths, 1))
    screen.add(Text(f"{head}  first mistake", style="bold"), whole=True)
    for report, name, score, row in zip(rows, ids, scores, cells, strict=True):
        line = Text(f"{name:<{wide_id}}  {score:>{wide_score}} ")
        for (said, style), wide in zip(row, widths, strict=True):
            line.append(" ")
            line.append(f"{said:<{wide}}", style=style)
        room = screen.width - len(line.plain) - 2
        line.append(f"  {_mistake(report, max(room, 8))}")
        screen.add(line, whole=True)
    screen.blank()
    screen.add(", ".join(f"{number} {name}" for number, name in enumerate(exercises, 1)))
    screen.add(", ".join(f"{SIGNS[status]} {word}" for status, word in WORDS.items()))
    if any(_open(report) for report in rows):
        screen.add("+ what checks decide that did not run here")
    return screen.text()


def _exercises(rows: Sequence[Report]) -> list[str]:
    names: dict[str, None] = {}
    for report in rows:
        names.update(dict.fromkeys(exercise.name for exercise in report.exercises))
    return list(names)


def _entry(report: Report, name: str) -> ExerciseEntry | None:
    return next((entry for entry in report.exercises if entry.name == name), None)


def _cell(entry: ExerciseEntry | None) -> tuple[str, str]:
    if entry is None:
        return "", ""
    earned = "" if entry.status == "not_attempted" else points(entry.score)
    return f"{SIGNS[entry.status]}{earned}", STYLES[entry.status]


def _score(report: Report) -> str:
    if report.status != "graded":
        return "none"
    more = f"+{points(report.possible)}" if _open(report) else ""
    return f"{points(report.score)} / {points(report.max_score)}{more}"


def _open(report: Report) -> bool:
    return report.status == "graded" and report.possible > 0


def _mistake(report: Report, room: int) -> str:
    """The first mistake in `room` columns; its exercise goes first when there is space."""
    if report.status == "grader_failed":
        return _cut("the grader failed", room)
    if report.status == "unreadable":
        why = clean(report.notes[0].message) if report.notes else "unreadable"
        return _cut(why, room)
    for exercise in report.exercises:
        for found in exercise.findings:
            name = clean(found.bug or found.title)
            whole = f"{exercise.name}: {name}"
            return whole if len(whole) <= room and "\n" not in whole else _cut(name, room)
    if report.exercises and all(entry.status == "not_attempted" for entry in report.exercises):
        return _cut("not attempted", room)
    return ""


def _cut(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 3].rstrip()}..."
