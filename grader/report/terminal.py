"""A report for the terminal: what stands, the one next thing to do, then each finding.

What a student's code printed or raised is data here: it reaches the screen as text, never as
markup and never as an escape sequence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from grader.report.model import ExerciseEntry, FindingEntry, NoteEntry, Report
from grader.report.screen import SIGNS, STYLES, WORDS, Screen, clean, points

LINES_OF_A_MESSAGE = 4
LINES_OF_OUTPUT = 4


def render(
    report: Report,
    *,
    hints: int = 1,
    show_input: Mapping[str, str] | None = None,
    width: int | None = None,
    color: bool | None = None,
) -> str:
    """The report as lines for a terminal of `width` columns (from 60 to 120).

    `hints` is how many of each ladder are shown, within what the assignment allows. `show_input`
    gives, by a check's id, the snippet that replays its failing call. Without `width` and
    `color`, what standard output can show is taken.
    """
    screen = Screen(width, color)
    hints = min(hints, report.assignment.max_hints)
    _head(screen, report)
    if report.status != "graded":
        for note in report.notes:
            screen.add(clean(note.message))
        return screen.text()
    table(screen, report)
    screen.blank()
    labelled(screen, "Next", next_step(report, hints))
    for exercise in report.exercises:
        for found in exercise.findings:
            screen.blank()
            finding(screen, exercise, found, hints, show_input or {})
    _list(screen, "Followed through", followed_through(report))
    _advice(screen, report)
    _list(screen, "On reading your file", [note_line(note) for note in report.notes])
    _list(screen, "For a human look", [clean(reason) for reason in report.review])
    screen.blank()
    screen.add(_last_line(report), style="dim")
    return screen.text()


def score_line(report: Report) -> str:
    """The score in words; never full marks where a part is decided elsewhere."""
    if report.status == "unreadable":
        return "no points yet: the submission could not be read"
    if report.status == "grader_failed":
        return "no verdict: the grader itself failed; this says nothing about the submission"
    if report.possible:
        total = report.max_score + report.possible
        lost = report.max_score - report.score
        so_far = f" {points(lost)} lost so far," if lost else ""
        line = (
            f"public checks: {points(report.score)} of {points(total)} points;{so_far} "
            f"{points(report.possible)} {_are(report.possible)} decided after hand-in"
        )
    else:
        line = f"{points(report.score)} of {points(report.max_score)} points"
    if report.left_out:
        names = ", ".join(exercise.name for exercise in report.exercises)
        line = f"{names} alone: {line}"
    return line


def next_step(report: Report, hints: int = 1) -> str:
    """The one next thing to do."""
    for exercise in report.exercises:
        if exercise.status == "passed":
            continue
        if exercise.findings:
            found = exercise.findings[0]
            place = _place(exercise, found)
            if hints and found.hints:
                return f"{place}: {clean(found.hints[0])}"
            return f"{place}: {clean(found.title)}"
        if exercise.status == "not_attempted":
            skipped = next((note for note in report.notes if note.kind in _SKIPPED), None)
            if skipped is not None and skipped.line:
                # Whether it was written and lost with that statement, the report cannot tell.
                where = f"{_where(skipped)}, which was skipped"
                return f"write {exercise.name}; if you have, mend {where}"
            return f"write {exercise.name}{_handout(exercise.handout)}"
        return f"{exercise.name}: it lost {points(exercise.max_score - exercise.score)} points"
    if report.left_out:
        return "grade the whole file"
    if report.possible:
        return "hand it in. More checks run then, on other inputs."
    if any(exercise.advice for exercise in report.exercises):
        return "nothing has to be mended. The advice below is worth a minute."
    return "nothing has to be mended. Hand it in."


_SKIPPED = frozenset({"load-error", "load-overrun", "load-died", "cannot-parse", "cell-left-out"})


def _head(screen: Screen, report: Report) -> None:
    files = ", ".join(file.name for file in report.submission.files) or report.submission.id
    screen.add(f"{clean(files)} · {clean(report.assignment.title)}", style="bold")
    good = report.full_marks and report.complete
    screen.add(score_line(report), style="bold green" if good else "bold")
    screen.blank()


def table(screen: Screen, report: Report) -> None:
    """A row an exercise: its points and where it stands."""
    names = max((len(exercise.name) for exercise in report.exercises), default=0)
    numbers = [
        f"{points(exercise.score)} / {points(exercise.max_score)}" for exercise in report.exercises
    ]
    widest = max(map(len, numbers), default=0)
    for exercise, number in zip(report.exercises, numbers, strict=True):
        row = Text(f"  {exercise.name:<{names}}   {number:>{widest}}   ")
        row.append(
            f"{SIGNS[exercise.status]} {WORDS[exercise.status]}", style=STYLES[exercise.status]
        )
        if exercise.possible and exercise.status != "not_attempted":
            row.append(f", {points(exercise.possible)} more after hand-in", style="dim")
        screen.add(row)


def finding(
    screen: Screen,
    exercise: ExerciseEntry,
    found: FindingEntry,
    hints: int,
    snippets: Mapping[str, str],
    place: str | None = None,
) -> None:
    """One finding: what, with which numbers, and what to try. `place` is where, said otherwise."""
    headline = Text(_place(exercise, found) if place is None else place, style="bold")
    headline.append(f": {clean(found.title)}", style="bold")
    screen.add(headline, hanging=2)
    for line in _capped(clean(found.message).splitlines(), LINES_OF_A_MESSAGE):
        screen.add(line, indent=2)
    for number, hint in enumerate(found.hints[:hints], 1):
        handout = _handout(found.handout or exercise.handout) if number == 1 else ""
        label = "Try" if number == 1 else f"Hint {number}"
        labelled(screen, label, f"{clean(hint)}{handout}", indent=2)
    if found.output.strip():
        screen.add("Your code printed:", indent=2, style="dim")
        for line in _capped(clean(found.output).strip().splitlines(), LINES_OF_OUTPUT):
            screen.add(line, indent=4, style="dim")
    if found.check in snippets:
        screen.add("To see it again:", indent=2, style="dim")
        for line in clean(snippets[found.check]).rstrip().splitlines():
            screen.add(line, indent=4, whole=True)


def followed_through(report: Report) -> list[str]:
    """Which exercises were judged with a library piece in place of the student's own function."""
    judged_with: dict[tuple[str, ...], list[str]] = {}
    for exercise in report.exercises:
        if exercise.stood_in:
            judged_with.setdefault(exercise.stood_in, []).append(exercise.name)
    return [
        f"{_and(names)} {'was' if len(names) == 1 else 'were'} judged with the library's "
        f"{_and(pieces)} in place of yours, so that "
        f"{'one mistake costs' if len(pieces) == 1 else 'mistakes cost'} points only once."
        for pieces, names in judged_with.items()
    ]


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _advice(screen: Screen, report: Report) -> None:
    lines = [
        f"{exercise.name}{_lines(said.cell, said.line)}: {clean(said.message)}"
        for exercise in report.exercises
        for said in exercise.advice
    ]
    _list(screen, "Advice (costs no points)", lines)


def _list(screen: Screen, title: str, lines: list[str]) -> None:
    if not lines:
        return
    screen.blank()
    screen.add(title, style="bold")
    for line in lines:
        screen.add(line, indent=2, hanging=2)


def labelled(screen: Screen, label: str, said: str, indent: int = 0) -> None:
    """A paragraph behind its label."""
    row = Text(f"{label}: ", style="bold cyan")
    row.append(said, style="not bold default")
    screen.add(row, indent=indent, hanging=len(label) + 2)


def note_line(note: NoteEntry) -> str:
    """A note with its place, on one line."""
    message = clean(note.message)
    where = _where(note)
    # Notes of reading name their place themselves.
    if not where or message.startswith(("line ", "cell ")) or note.kind == "cell-left-out":
        return message
    skipped = "skipped, " if note.kind == "load-error" else ""
    return f"{where}: {skipped}{message}"


def _where(note: NoteEntry) -> str:
    return _lines(note.cell, note.line).removeprefix(", ")


def _place(exercise: ExerciseEntry, found: FindingEntry) -> str:
    return exercise.name + _lines(found.cell, found.line, found.end_line)


def _lines(cell: int | None, line: int | None, end: int | None = None) -> str:
    where = f", cell {cell}" if cell is not None else ""
    if line is None:
        return where
    if end is not None and end > line:
        return f"{where}, lines {line}-{end}"
    return f"{where}, line {line}"


def _handout(section: str) -> str:
    return f" (handout {section})" if section else ""


def _capped(lines: list[str], most: int) -> Iterator[str]:
    lines = [line for line in lines if line.strip()]
    yield from lines[: most - 1]
    if len(lines) == most:
        yield lines[-1]
    elif len(lines) > most:
        yield f"{lines[most - 1]} ..."


def _are(number: float) -> str:
    return "is" if number == 1 else "are"


def _last_line(report: Report) -> str:
    parts = [f"seed {report.seed}"]
    if report.isolation:
        parts.append(f"isolation {clean(report.isolation)}")
    parts.append(f"{report.duration:.1f} s")
    return " · ".join(parts)
