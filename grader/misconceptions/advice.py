"""Advice: worth knowing, costs nothing."""

from __future__ import annotations

from collections.abc import Sequence

from grader.assignment import Assignment
from grader.checking.judging import Judgement
from grader.misconceptions.finding import Advice


def advise(
    assignment: Assignment, judgement: Judgement, cells: Sequence[tuple[str, str]]
) -> dict[str, list[Advice]]:
    """Advice by exercise."""
    return {}
