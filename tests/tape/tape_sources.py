"""Submissions and boards for the tests of the tape, and how they are recorded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from grader.assignment import Assignment
from grader.reading import read_for
from grader.student.backend import Worker
from grader.submission import Cell, Submission, SubmittedFile, read_submission
from grader.tape.recording import Taped, record_board, record_steps
from grader.tape.story import Story

ROOT = Path(__file__).resolve().parents[2]
NAME = "xor_by_hand"
STAFF = ROOT / "solutions" / NAME

BOARD = """\
import torch

a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = a * 2
c = b.mean()
d = a + c
"""

NETWORK = """\
import torch

def relu(x):
    return x.clamp(min=0)

def logistic(x):
    return 1 / (1 + torch.exp(-x))

def cross_entropy(y_pred, y):
    return -(y * y_pred.log() + (1 - y) * (1 - y_pred).log()).mean()

def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)
"""


def network(**functions: str) -> str:
    """The network with bodies of some functions replaced."""
    lines = NETWORK.splitlines()
    for name, body in functions.items():
        at = next(n for n, line in enumerate(lines) if line.startswith(f"def {name}("))
        lines[at + 1] = "\n".join(f"    {line}" for line in body.splitlines())
    return "\n".join(lines) + "\n"


def submitted(source: str, name: str = "answer.py") -> Submission:
    return Submission(name, (SubmittedFile(name, "0" * 64),), name, (Cell(None, source),))


@dataclass(frozen=True)
class Bench:
    """An assignment that says what to draw, and workers."""

    assignment: Assignment
    start: Callable[[], Worker]
    level: str
    other: Taped

    def story(self, source: str | Path) -> Story:
        made = read_for(source, self.assignment) if isinstance(source, Path) else submitted(source)
        assert self.assignment.graph is not None
        taped = record_steps(made, self.assignment, self.assignment.graph, self.start, self.level)
        return Story(taped, self.other)

    def board(self, source: str, name: str = "board.py") -> Taped:
        made = submitted(source, name)
        return record_board(made, self.start, self.level, self.assignment.limits)


def reference(assignment: Assignment, start: Callable[[], Worker], level: str) -> Taped:
    assert assignment.graph is not None
    library = read_submission(assignment.library)
    return record_steps(library, assignment, assignment.graph, start, level)
