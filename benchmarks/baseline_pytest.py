"""The baseline of `bench_class.py`: a plugin for a plain `python -m pytest`, a process each.

    GRADE_BASELINE_ASSIGNMENT=DIR GRADE_BASELINE_SUBMISSION=FILE \\
        python -m pytest -p baseline_pytest --noconftest DIR/checks ...

The same checks on the same submission with the student's code in this very process: no isolation,
no follow-through, no diagnosis and no report. What an autograder costs that starts pytest for
everybody.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.assignment import load_assignment
from grader.checking.draw import Draw
from grader.checking.oracle import load_module
from grader.student.in_process import InProcessBackend
from grader.student.proxy import Student
from grader.student.worker import messages as m
from grader.submission import read_submission

ASSIGNMENT = "GRADE_BASELINE_ASSIGNMENT"
SUBMISSION = "GRADE_BASELINE_SUBMISSION"


def arguments(folders: list[Path]) -> list[str]:
    """What to call `python -m pytest` with."""
    return [
        "-q", "-p", "baseline_pytest", "-p", "no:cacheprovider", "-c", os.devnull,
        "--noconftest", "--import-mode=importlib", "--tb=no", *map(str, folders),
    ]  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "exercise(name): the exercise that the check judges")
    config.addinivalue_line("markers", "points(n): what the check is worth")
    config.pluginmanager.register(Fixtures(), "baseline-fixtures")
    support = Path(os.environ[ASSIGNMENT]) / "checks" / "conftest.py"
    if support.is_file():
        config.pluginmanager.register(load_module(support, "checks_support"))


class Fixtures:
    """What the checks ask for, made once a process."""

    def __init__(self) -> None:
        self.assignment = load_assignment(Path(os.environ[ASSIGNMENT]))
        submission = read_submission(Path(os.environ[SUBMISSION]))
        backend = InProcessBackend(
            m.Load(
                cells=[m.Cell(submission.filename(c), c.source) for c in submission.cells],
                library=self.assignment.library.read_text(encoding="utf-8"),
            )
        )
        backend.load()
        self.the_student = Student(backend, self.assignment.seed)
        self.the_oracle = load_module(self.assignment.oracle, "grader_oracle")

    @pytest.fixture
    def student(self, request: pytest.FixtureRequest) -> Student:
        self.the_student.begin(request.node.name)
        return self.the_student

    @pytest.fixture
    def oracle(self) -> Any:
        return self.the_oracle

    @pytest.fixture
    def draw(self, request: pytest.FixtureRequest) -> Draw:
        name = f"{request.node.path.name}::{request.node.name}"
        return Draw(self.assignment.seed, name)

    @pytest.fixture
    def kept(self) -> Callable[[tuple[Any, ...], Callable[[], Any]], Any]:
        return lambda key, make: make()  # there is no next submission
