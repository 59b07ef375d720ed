"""Advice: given with its line, once an exercise, and never where there is no ground for it."""

from __future__ import annotations

import ast
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.assignment import find_assignment
from grader.checking.collection import with_checks
from grader.grading import Grading
from grader.misconceptions.habits import (
    prints_each_step,
    retains_graph,
    visits_elements,
    writes_to_data,
)
from grader.submission import read_submission

SOLUTIONS = Path(__file__).parents[2] / "solutions" / "xor_by_hand"

STABLE = """
import torch

def relu(x):
    return x.clamp(min=0)

def logistic(x):
    e = torch.exp(-x.abs())
    return torch.where(x >= 0, 1 / (1 + e), e / (1 + e))

def cross_entropy(y_pred, y):
    return -torch.log(torch.where(y == 1, y_pred, 1 - y_pred)).mean()

def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad
            p.grad.zero_()
"""
NAIVE = """
import torch

def relu(x):
    return torch.stack([v if v > 0 else 0 * v for v in x.reshape(-1)]).reshape(x.shape)

def logistic(x):
    minus = -x
    return 1 / (1 + torch.exp(minus))

def cross_entropy(y_pred, y):
    y_pred = y_pred * 1.0
    return -(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred)).mean()

def sgd(params, lr=0.1):
    for p in params:
        p.data -= lr * p.grad
        p.data.add_(0.0)
        p.grad.data.zero_()
"""
QUOTIENT = """
import torch

def logistic(x):
    e = torch.exp(x)
    return e / (1 + e)

def cross_entropy(y_pred, y):
    raise NotImplementedError
"""
WRONG = """
import math
import torch

def logistic(x):
    return [1 / (1 + math.exp(-v)) for v in x]

def sgd(params, lr):
    for p in params:
        p.data += lr * p.grad
        print(p)
"""
SUBMISSIONS = {"stable": STABLE, "naive": NAIVE, "quotient": QUOTIENT, "wrong": WRONG}
BUILT_ON_ONE_TENSOR = ("relu", "logistic", "cross_entropy", "sgd")


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Reports by the submission's name, from one session."""
    folder = tmp_path_factory.mktemp("submissions")
    reports: dict[str, Any] = {}

    def body(checks: Any, bench: Any, config: Any) -> None:
        grading = Grading(
            find_assignment("xor_by_hand"), checks, bench, config,
            start_worker=None, isolation="", only=BUILT_ON_ONE_TENSOR,
        )  # fmt: skip
        for name, source in SUBMISSIONS.items():
            path = folder / f"{name}.py"
            path.write_text(source, encoding="utf-8")
            reports[name] = grading.grade(read_submission(path)).report

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with_checks(find_assignment("xor_by_hand"), body)
    finally:
        torch.set_num_threads(threads)
    return reports


def advice(report: Any) -> dict[str, list[tuple[str, str]]]:
    """Slugs by exercise, each with its line's text."""
    return {
        entry.name: [(one.slug, one.line) for one in entry.advice]
        for entry in report.exercises
        if entry.advice
    }


def line_of(source: str, text: str) -> int:
    return next(n for n, line in enumerate(source.splitlines(), 1) if text in line)


def test_what_is_stable_gets_none(graded):
    assert advice(graded["stable"]) == {}
    assert graded["stable"].score == graded["stable"].max_score


def test_each_is_given_once_with_its_line_and_costs_nothing(graded):
    assert advice(graded["naive"]) == {
        "relu": [("slow-python-loop", line_of(NAIVE, "torch.stack"))],
        "logistic": [("overflows-for-large-x", line_of(NAIVE, "torch.exp"))],
        "cross_entropy": [("log-of-zero", line_of(NAIVE, "torch.log"))],
        "sgd": [("data-attribute-update", line_of(NAIVE, "p.data -="))],
    }
    assert graded["naive"].score == graded["naive"].max_score


def test_what_is_said_holds_what_was_seen(graded):
    messages = {e.name: e.advice[0].message for e in graded["naive"].exercises}
    assert "at -1000 and -100 its gradient is NaN" in messages["logistic"]
    assert "it gives NaN, not 0" in messages["cross_entropy"]
    quotient = {e.name: [a.message for a in e.advice] for e in graded["quotient"].exercises}
    assert "at 100 and 1000 its value is NaN" in quotient["logistic"][0]


def test_none_for_what_was_not_attempted(graded):
    assert list(advice(graded["quotient"])) == ["logistic"]


def test_what_is_wrong_gets_none_that_says_it_is_right(graded):
    assert advice(graded["wrong"]) == {
        "sgd": [
            ("data-attribute-update", line_of(WRONG, "p.data +=")),
            ("prints-in-loop", line_of(WRONG, "print")),
        ]
    }


# What the syntax tree shows


def function(body: str, arguments: str = "x") -> ast.FunctionDef:
    indented = "\n".join(f"    {line}" for line in body.strip("\n").splitlines())
    node = ast.parse(f"def f({arguments}):\n{indented}\n").body[0]
    assert isinstance(node, ast.FunctionDef)
    return node


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("x.data = x.data - 1", 2),
        ("y = 1\nx.data[:] = 0", 3),
        ("x.data.sub_(1)", 2),
        ("x.data[0] -= 1", 2),
        ("y = x.data - 1", None),
        ("x.grad.data.zero_()", None),
        ("x.data.clone()", None),
        ("x.data.__len__()", None),
    ],
)
def test_writes_to_data(body, line):
    assert writes_to_data(function(body)) == line


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("loss.backward(retain_graph=True)", 2),
        ("loss.backward(retain_graph=False)", None),
        ("loss.backward()", None),
    ],
)
def test_retain_graph(body, line):
    assert retains_graph(function(body)) == line


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("for i in x:\n    print(i)", 3),
        ("for e in range(9):\n    for i in x:\n        g(i)\n        print(i)", 5),
        ("while True:\n    with g():\n        print(1)", 4),
        ("for e in range(9):\n    for i in x:\n        g(i)\n    print(e)", None),
        ("for i in x:\n    if i % 10 == 0:\n        print(i)", None),
        ("print(x)", None),
        ("for i in x:\n    self.print(i)", None),
    ],
)
def test_prints_each_step(body, line):
    assert prints_each_step(function(body)) == line


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("for v in x:\n    g(v)", 2),
        ("return [g(v) for v in x.flatten()]", 2),
        ("flat = x.reshape(-1)\nreturn [g(v) for v in flat]", 3),
        ("for i in range(len(x)):\n    g(x[i])", 2),
        ("for i in range(x.shape[0]):\n    g(x[i])", 2),
        ("for W, b in [(x, 1), (x, 2)]:\n    g(W, b)", None),
        ("for W, b in zip((x, x), (1, 2)):\n    g(W, b)", None),
        ("for i in range(3):\n    g(i)", None),
        ("return x * 2", None),
    ],
)
def test_visits_elements(body, line):
    assert visits_elements(function(body)) == line


@pytest.mark.skipif(not SOLUTIONS.is_dir(), reason="solutions are staff's")
def test_the_model_answer_is_advised_in_little_time(monkeypatch):
    """Below 15 ms of processor time here, so that a slow machine passes; 3 ms were measured."""
    import grader.grading as module

    spent: list[float] = []
    real = module.advise

    def timed(*args: Any, **kwargs: Any) -> Any:
        before = time.process_time()
        answer = real(*args, **kwargs)
        spent.append(time.process_time() - before)
        return answer

    monkeypatch.setattr(module, "advise", timed)

    def body(checks: Any, bench: Any, config: Any) -> None:
        grading = Grading(
            find_assignment("xor_by_hand"), checks, bench, config,
            start_worker=None, isolation="", only=BUILT_ON_ONE_TENSOR,
        )  # fmt: skip
        for _ in range(4):
            grading.grade(read_submission(SOLUTIONS / "reference.py"))

    with_checks(find_assignment("xor_by_hand"), body)
    assert len(spent) == 4
    assert min(spent) < 0.015
