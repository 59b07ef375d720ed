"""What `check` gives: a result that a notebook shows as a card, and a terminal as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from grader.grading import Graded
from grader.report.model import ExerciseEntry, FindingEntry, Report
from grader.report.screen import SIGNS, WORDS, Screen, clean, points
from grader.report.terminal import finding

LEVEL = "Graded in this kernel, without isolation; the mark is decided after hand-in."
WIDTH = 88


class Checked(NamedTuple):
    """One exercise that was graded, and the exercises whose functions it calls."""

    graded: Graded
    calls: tuple[str, ...] = ()

    @property
    def report(self) -> Report:
        return self.graded.report

    @property
    def entry(self) -> ExerciseEntry | None:
        """None where there is no verdict."""
        return self.report.exercises[0] if self.report.exercises else None

    @property
    def elsewhere(self) -> str:
        """Where else the mistake may be: each exercise is judged with all that it calls."""
        entry = self.entry
        if entry is None or entry.status in ("passed", "not_attempted") or not self.calls:
            return ""
        names = " and ".join(filter(None, (", ".join(self.calls[:-1]), self.calls[-1])))
        one = "it" if len(self.calls) == 1 else "one of them"
        return f"{entry.name} calls your {names}: a mistake in {one} shows here too."


class Result:
    """Points and findings of the exercises that were checked, or what stood in the way."""

    def __init__(
        self, checked: Sequence[Checked] = (), *, hints: int = 1, trouble: str = ""
    ) -> None:
        self._checked = tuple(checked)
        self._hints = hints if isinstance(hints, int) else 1
        broken = [one.report.notes[0].message for one in checked if one.entry is None]
        self._trouble = trouble or (f"the grader failed: {broken[0]}" if broken else "")

    @property
    def reports(self) -> tuple[Report, ...]:
        """A report for each exercise."""
        return tuple(one.report for one in self._checked)

    @property
    def score(self) -> float:
        """The points of the public checks that were earned."""
        return sum(report.score for report in self.reports)

    @property
    def max_score(self) -> float:
        """The points that the public checks have."""
        return sum(report.max_score for report in self.reports)

    @property
    def passed(self) -> bool:
        """Whether every public check passed."""
        return not self._trouble and all(report.full_marks for report in self.reports)

    def __repr__(self) -> str:
        screen = Screen(WIDTH, color=False, unicode=True)
        if self._trouble:
            screen.add(clean(self._trouble))
            return screen.text().rstrip()
        for one in self._checked:
            _lines(screen, one, self._hints)
        screen.blank()
        screen.add(LEVEL)
        return screen.text().rstrip()

    def _repr_html_(self) -> str:
        # Imported here: a terminal needs no templates.
        from grader.notebook.card import card

        return card(self._checked, self._hints, self._trouble)


def _lines(screen: Screen, checked: Checked, hints: int) -> None:
    entry = checked.entry
    if entry is None:
        return
    screen.blank()
    screen.add(f"{SIGNS[entry.status]} {entry.name}: {standing(entry)}")
    most = max(0, min(hints, checked.report.assignment.max_hints))
    for found in entry.findings:
        screen.blank()
        finding(screen, entry, found, most, {}, place=place(entry.name, found))
    if checked.elsewhere:
        screen.blank()
        screen.add(checked.elsewhere, indent=2)
    for said in entry.advice:
        screen.add(f"Advice (costs no points): {clean(said.message)}", indent=2, hanging=2)


def standing(entry: ExerciseEntry) -> str:
    """Where an exercise stands, in words; never full marks where a part is decided elsewhere."""
    if entry.status == "not_attempted":
        handout = f" The handout treats it in section {entry.handout}." if entry.handout else ""
        return f"{WORDS[entry.status]} yet.{handout}"
    said = f"{points(entry.score)} of {points(entry.max_score)} points of the public checks"
    if entry.possible:
        are = "is" if entry.possible == 1 else "are"
        said += f"; {points(entry.possible)} more {are} decided after hand-in"
    return f"{said}."


def place(name: str, found: FindingEntry) -> str:
    """Where a mistake is: a cell is called as the notebook numbers it, by its brackets."""
    where = name
    if found.cell is not None:
        where += f", cell [{found.cell}]"
    elif found.line is not None and found.file.endswith(".py"):
        where += f", {clean(found.file)}"
    if found.line is None:
        return where
    if found.end_line is not None and found.end_line > found.line:
        return f"{where}, lines {found.line}-{found.end_line}"
    return f"{where}, line {found.line}"
