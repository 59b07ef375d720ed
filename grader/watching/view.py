"""One run as lines: where things stand, what the save changed, the one mistake to look at, next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from grader.report.model import ExerciseEntry, FindingEntry, Report
from grader.report.screen import Screen, clean, points
from grader.report.terminal import finding, labelled, next_step, note_line, score_line, table

MOST_NOTES = 3


class Block(NamedTuple):
    """Lines in three parts; where a window is too small for all, the middle gives way first."""

    top: tuple[str, ...]
    middle: tuple[str, ...]
    bottom: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it, parts apart by an empty line."""
        parts = (part for part in self if part)
        return "\n\n".join("\n".join(part) for part in parts) + "\n"


def run_block(
    report: Report,
    changed: Sequence[str] | None,
    *,
    hints: int,
    snippets: Mapping[str, str] | None = None,
    width: int | None = None,
) -> Block:
    """What is shown of one run. `changed` is None where there was no verdict before."""
    hints = min(hints, report.assignment.max_hints)
    top, middle, bottom = Screen(width), Screen(width), Screen(width)
    named = [*(file.name for file in report.submission.files), report.assignment.title]
    top.add(clean(" · ".join(named)), style="bold")
    good = report.full_marks and report.complete
    top.add(score_line(report), style="bold green" if good else "bold")
    if report.status == "graded":
        top.blank()
        table(top, report)
    if changed is not None and report.status == "graded":
        if changed:
            middle.add("Since the save before", style="bold")
        else:
            labelled(middle, "Since the save before", "nothing that counts is different")
        for line in changed:
            middle.add(line, indent=2, hanging=2, style=_style(line))
    for note in report.notes[:MOST_NOTES]:
        middle.blank()
        middle.add(note_line(note), hanging=2)
    first = _first(report)
    if first is not None:
        middle.blank()
        # The first hint is what is next, and said there.
        finding(middle, *first, hints if hints > 1 else 0, snippets or {})
        more = sum(len(exercise.findings) for exercise in report.exercises) - 1
        if more:
            middle.blank()
            middle.add(f"{more} more {_word(more, 'finding')}: `grade` shows all.", style="dim")
    labelled(bottom, "Next", next_thing(report, hints))
    return Block(*map(_lines, (top, middle, bottom)))


def waiting_block(name: str, before: Report | None, width: int | None = None) -> Block:
    """While there is nothing to grade any more; `before` is the last verdict."""
    top, bottom = Screen(width), Screen(width)
    top.add(f"{clean(name)} is gone", style="bold")
    if before is not None:
        top.add(f"before that: {score_line(before)}")
    labelled(bottom, "Next", "save it again. It is graded as soon as it is back.")
    return Block(_lines(top), (), _lines(bottom))


def next_thing(report: Report, hints: int = 1) -> str:
    """The one next thing to do: never nothing."""
    if report.status == "unreadable":
        return "mend that and save."
    if report.status == "grader_failed":
        return "save once more. If it stays like this, run `grade doctor`."
    if report.full_marks and report.possible and not report.left_out:
        total = report.max_score + report.possible
        are = "is" if report.possible == 1 else "are"
        return (
            f"hand it in. All public checks pass; {points(report.possible)} of {points(total)} "
            f"points {are} decided after hand-in, by checks on other inputs."
        )
    if report.full_marks and not report.left_out and any(e.advice for e in report.exercises):
        return "nothing has to be mended. `grade` shows advice that is worth a minute."
    return next_step(report, hints)


def fitted(block: Block, rows: int) -> list[str]:
    """The block's lines for a window of `rows`: the last ones of what gives way are left out."""
    top, middle, bottom = map(list, block)
    room = rows - len(bottom) - 1
    top = _cut(top, room)
    middle = _cut(middle, room - len(top) - 1) if middle else middle
    lines = [*top, "", *middle, *([""] if middle else []), *bottom]
    return lines[-rows:] if rows > 0 else []


def _cut(lines: list[str], room: int) -> list[str]:
    if len(lines) <= room:
        return lines
    return [*lines[: room - 1], "..."] if room > 1 else []


def _first(report: Report) -> tuple[ExerciseEntry, FindingEntry] | None:
    """The finding that the next step is about: of the first exercise that still loses points."""
    for exercise in report.exercises:
        if exercise.status != "passed":
            return (exercise, exercise.findings[0]) if exercise.findings else None
    return None


def _lines(screen: Screen) -> tuple[str, ...]:
    text = screen.text().rstrip("\n")
    return tuple(text.split("\n")) if text else ()


def _style(line: str) -> str:
    if line.startswith("gone:"):
        return "green"
    return "yellow" if line.startswith("new:") else ""


def _word(number: int, word: str) -> str:
    return word if number == 1 else f"{word}s"
