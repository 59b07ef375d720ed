"""No check demands what students were not told: each names a sentence of the stub or handout."""

from __future__ import annotations

import ast
import re

import pytest

from grader.assignment import Assignment, known_assignments, load_assignment
from grader.checking.collection import Bench, Check, with_checks

ASSIGNMENTS = [load_assignment(folder) for folder in known_assignments().values()]


def flat(text: str) -> str:
    return " ".join(re.sub(r"[*_`]", "", text).split())


def told(assignment: Assignment) -> str:
    """What students read: the stub's docstrings, and the handout."""
    stub = (assignment.path / f"{assignment.stub}.py").read_text(encoding="utf-8")
    functions = [n for n in ast.parse(stub).body if isinstance(n, ast.FunctionDef)]
    parts = [ast.get_docstring(function) or "" for function in functions]
    handout = assignment.path / "README.md"
    parts.append(handout.read_text(encoding="utf-8") if handout.is_file() else "")
    return flat("\n".join(parts))


def checks_of(assignment: Assignment) -> list[Check]:
    found: list[Check] = []

    def body(checks: list[Check], bench: Bench, config: pytest.Config) -> None:
        found.extend(checks)

    with_checks(assignment, body)
    return found


@pytest.mark.parametrize("assignment", ASSIGNMENTS, ids=lambda assignment: assignment.name)
def test_every_check_names_a_sentence_that_demands_it(assignment: Assignment) -> None:
    checks = checks_of(assignment)
    text = told(assignment)
    # Short ones would be found by accident.
    assert checks
    vague = {check.id: check.demands for check in checks if len(check.demands.split()) < 5}
    assert vague == {}
    untold = {check.id: check.demands for check in checks if flat(check.demands) not in text}
    assert untold == {}


@pytest.mark.parametrize("assignment", ASSIGNMENTS, ids=lambda assignment: assignment.name)
def test_titles_are_written_for_students(assignment: Assignment) -> None:
    for check in checks_of(assignment):
        assert check.title != check.item.name, f"{check.id} has no docstring"
        assert len(check.title) <= 100, check.id


def test_sessions_may_lie_within_one_another() -> None:
    """Checks of different assignments lie in files of the same names."""
    alone = [[check.id for check in checks_of(one)] for one in ASSIGNMENTS]
    within: list[list[str]] = []

    def nested(left: list[Assignment]) -> None:
        def body(checks: list[Check], bench: Bench, config: pytest.Config) -> None:
            within.append([check.id for check in checks])
            nested(left[1:])

        if left:
            with_checks(left[0], body)

    nested(ASSIGNMENTS)
    assert within == alone
