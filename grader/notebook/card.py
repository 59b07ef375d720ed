"""A result as HTML for a notebook's output: one card, its style scoped to itself, no script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from grader.notebook.result import LEVEL, Checked, place, standing
from grader.report.model import ExerciseEntry, FindingEntry
from grader.report.screen import SIGNS
from grader.report.style.templates import environment

PACKAGE = "grader.notebook"


class _Finding(NamedTuple):
    place: str
    title: str
    lines: Sequence[str]
    hints: Sequence[str]
    handout: str
    output: str
    slug: str


class _Check(NamedTuple):
    sign: str
    status: str
    title: str
    points: str


class _Exercise(NamedTuple):
    name: str
    status: str
    sign: str
    standing: str
    findings: Sequence[_Finding]
    elsewhere: str
    checks: Sequence[_Check]
    advice: Sequence[str]


def card(checked: Iterable[Checked], hints: int, trouble: str) -> str:
    """The card of these exercises, or of the `trouble` that there was.

    `hints` of each ladder stand open; with 0 there are none.
    """
    templates = environment(PACKAGE)
    assert templates.loader is not None
    style = templates.loader.get_source(templates, "card.css")[0]
    shown = [] if trouble else [_exercise(one, one.entry, hints) for one in checked if one.entry]
    return templates.get_template("card.html.j2").render(
        style=Markup(style), exercises=shown, trouble=trouble, level=LEVEL, open=hints
    )


def _exercise(one: Checked, entry: ExerciseEntry, hints: int) -> _Exercise:
    most = one.report.assignment.max_hints if hints > 0 else 0
    tests = [test["metadata"] for test in one.graded.document["tests"]]
    return _Exercise(
        entry.name,
        entry.status,
        SIGNS[entry.status],
        standing(entry),
        [_finding(entry, found, most) for found in entry.findings],
        one.elsewhere,
        [] if entry.status == "not_attempted" else [_check(facts) for facts in tests],
        [said.message for said in entry.advice],
    )


def _finding(entry: ExerciseEntry, found: FindingEntry, hints: int) -> _Finding:
    return _Finding(
        place(entry.name, found),
        found.title,
        [line for line in found.message.splitlines() if line.strip()],
        found.hints[:hints],
        found.handout or entry.handout,
        found.output.strip(),
        found.bug or "",
    )


def _check(facts: dict[str, Any]) -> _Check:
    earned, most = facts["earned"], facts["points"]
    status = "passed" if earned >= most else "failed"
    return _Check(SIGNS[status], status, facts["title"], f"{earned:g} / {most:g}")
