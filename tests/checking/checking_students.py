"""Submissions from their source, running here or in a worker; assignments made for one test."""

from __future__ import annotations

import contextlib
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from grader.assignment import Assignment, load_assignment
from grader.checking.collection import Bench, Check, with_checks
from grader.checking.failure import Failure
from grader.checking.judging import CheckResult, ExerciseResult, Judgement, judge
from grader.observation import Observation
from grader.student.backend import Backend, Worker, WorkerBackend
from grader.student.in_process import InProcessBackend
from grader.student.proxy import Student
from grader.student.worker import messages as m

FILE = "answer.py"
StartWorker = Callable[[], Worker]


def source(text: str) -> str:
    return "import torch\n" + textwrap.dedent(text)


@contextlib.contextmanager
def modules_kept() -> Iterator[None]:
    """A submission in this process puts modules of its own beside ours."""
    names = ("grader", "grader.notebook", "submission")
    before = {name: sys.modules.get(name) for name in names}
    try:
        yield
    finally:
        for name, module in before.items():
            sys.modules.pop(name, None)
            if module is not None:
                sys.modules[name] = module


def load_request(text: str, **more: Any) -> m.Load:
    return m.Load([m.Cell(FILE, source(text))], **more)


@contextlib.contextmanager
def here(text: str) -> Iterator[Student]:
    """The submission in this process."""
    with modules_kept():
        backend = InProcessBackend(load_request(text))
        backend.load()
        yield Student(backend)


@contextlib.contextmanager
def in_worker(start: StartWorker, text: str, seconds: float = 5.0) -> Iterator[Student]:
    backend = WorkerBackend(start, load_request(text))
    try:
        backend.load()
        yield Student(backend, call_seconds=seconds)
    finally:
        backend.close()


def record_of(text: str, function: str, *args: Any, **kwargs: Any) -> Observation:
    """The record of one call, in this process."""
    with here(text) as student:
        return student.run(function, args, kwargs)


def failure_of(check: Callable[[], object]) -> Failure:
    """The failure that `check` raises."""
    with pytest.raises(Failure) as caught:
        check()
    return caught.value


LIBRARY = """
import torch

def relu(x):
    return torch.relu(x)

def logistic(x):
    return torch.sigmoid(x)

def forward(x):
    return logistic(relu(x))
"""
TOML = """
format_version = 1
title = "Three functions"
seed = 3

[[exercise]]
name = "relu"
signature = "relu(x)"
points = 2
banned = ["relu", "relu_", "clamp_min"]

[[exercise]]
name = "logistic"
signature = "logistic(x)"
points = 1

[[exercise]]
name = "forward"
signature = "forward(x)"
points = 2
uses = ["relu", "logistic"]
banned = ["relu", "relu_", "clamp_min", "sigmoid"]
"""
CHECKS = '''
import pytest
from grader import assert_gradient, assert_matches, fail


@pytest.mark.exercise("relu")
@pytest.mark.points(1)
def test_relu_values(student, oracle, draw):
    """keeps what is positive

    The sentence of the handout
    that asks for it.
    """
    x = draw.away_from(0, 4, 3)
    assert_matches(student.relu(x), oracle.relu(x))


@pytest.mark.exercise("relu")
@pytest.mark.points(1)
def test_relu_gradient(student, oracle, draw):
    """has the right slope"""
    assert_gradient(student.relu, oracle.relu, draw.away_from(0, 3))


@pytest.mark.exercise("logistic")
@pytest.mark.points(1)
def test_logistic(student, oracle, draw):
    x = draw.normal(4)
    if not bool((student.logistic(x) > 0).all()):
        fail("it may be negative", bug="negative", earned=0.5)
    assert_matches(student.logistic(x), oracle.logistic(x))


@pytest.mark.exercise("forward")
@pytest.mark.points(1)
def test_forward(student, oracle, draw):
    """puts the two together"""
    x = draw.away_from(0, 5)
    assert_matches(student.forward(x), oracle.forward(x))


@pytest.mark.exercise("forward")
@pytest.mark.points(1)
def test_forward_gradient(student, oracle, draw):
    """lets gradients through"""
    assert_gradient(student.forward, oracle.forward, draw.away_from(0, 3))
'''
RIGHT = """
def relu(x):
    return torch.where(x > 0, x, torch.zeros_like(x))

def logistic(x):
    return 1 / (1 + torch.exp(-x))

def forward(x):
    return logistic(relu(x))
"""


def write_assignment(
    folder: Path,
    *,
    toml: str = TOML,
    checks: dict[str, str] | None = None,
    hidden: dict[str, str] | None = None,
) -> Path:
    """An assignment of three small functions in `folder`; hidden checks where given."""
    place = folder / "assignments" / "three"
    (place / "checks").mkdir(parents=True)
    (place / "assignment.toml").write_text(toml, encoding="utf-8")
    (place / "library_pieces.py").write_text(LIBRARY, encoding="utf-8")
    for name, text in ({"test_all.py": CHECKS} if checks is None else checks).items():
        (place / "checks" / name).write_text(text, encoding="utf-8")
    if hidden is not None:
        (folder / "solutions" / "three" / "checks").mkdir(parents=True)
        for name, text in hidden.items():
            (folder / "solutions" / "three" / "checks" / name).write_text(text, encoding="utf-8")
    return place


class Judged:
    """A judgement, and which submissions were started for it: a tuple of stand-ins each."""

    def __init__(self, judgement: Judgement, started: list[tuple[str, ...]]) -> None:
        self.judgement = judgement
        self.started = started

    def __getitem__(self, exercise: str) -> ExerciseResult:
        (found,) = [e for e in self.judgement.exercises if e.exercise.name == exercise]
        return found

    @property
    def scores(self) -> dict[str, float]:
        return {e.exercise.name: e.score for e in self.judgement.exercises}

    @property
    def statuses(self) -> dict[str, str]:
        return {e.exercise.name: e.status for e in self.judgement.exercises}

    def result(self, name: str) -> CheckResult:
        """The result of the check function called `name`."""
        results = [r for e in self.judgement.exercises for r in e.results]
        (found,) = [r for r in results if r.check.item.name == name]
        return found


def judged(
    start: StartWorker, place: Path, text: str, only: Sequence[str] = (), seconds: float = 5.0
) -> Judged:
    """Judge the submission whose source is `text`, in workers."""
    assignment = load_assignment(place)
    found: list[Judged] = []

    def body(checks: list[Check], bench: Bench, config: pytest.Config) -> None:
        started: list[tuple[str, ...]] = []

        def begin(stand_ins: tuple[str, ...]) -> Student:
            started.append(stand_ins)
            library = assignment.library.read_text(encoding="utf-8")
            load = load_request(text, stand_ins=list(stand_ins), library=library)
            backend: Backend = WorkerBackend(start, load)
            backend.load()
            return Student(backend, bench.seed, seconds)

        judgement = judge(assignment, checks, bench, begin, only)
        judgement.close()
        found.append(Judged(judgement, started))

    with_checks(assignment, body)
    return found[0]


def collected(place: Path) -> tuple[Assignment, list[Check]]:
    """The assignment's checks, of which only what they are is to be looked at."""
    assignment = load_assignment(place)
    found: list[Check] = []
    with_checks(assignment, lambda checks, bench, config: found.extend(checks))
    return assignment, found
