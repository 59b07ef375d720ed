"""Documents of invented submissions, with all that a page can show."""

from __future__ import annotations

from typing import Any

from msgspec import structs, to_builtins

from grader.report.document import Document
from grader.report.model import (
    AdviceEntry,
    AssignmentRef,
    ExerciseEntry,
    FileRef,
    FindingEntry,
    NoteEntry,
    OverrideEntry,
    Report,
    SubmissionRef,
    VoidEntry,
)
from grader.report.pictures import Arrows, Boundary, Curve, Line, Losses, Move, Point
from grader.report.plain import plain
from grader.submission import Cell

SOURCE = '''import torch


def square(x):
    """The square of x."""
    y = x.clone()
    y *= x
    return abs(y)  # why not


def cube(x):
    return x * square(x)


def shrink(params, lr=0.1):
    for p in params:
        p = p - lr * p.grad
'''
CELLS = (Cell(None, SOURCE),)

CURVE = Curve(
    "square from -1 to 1",
    "x",
    "square(x)",
    (Line("", (-1.0, 0.0, 1.0), (1.0, 0.0, 1.0), (-1.0, 0.0, 1.0)),),
)
LOSSES = Losses("the loss", (1.0, 0.5, 0.8, 0.3), (1.0, 1.1, 1.2, None), each_round=2)
BOUNDARY = Boundary(
    "after training",
    "first",
    "second",
    (0.0, 0.5, 1.0),
    (0.0, 1.0),
    expected=((0.1, 0.6, 0.9), (0.1, 0.2, 0.9)),
    got=((0.9, 0.6, 0.1), (0.8, 0.7, 0.2)),
    points=(Point(0.1, 0.2, 0), Point(0.9, 0.7, 1)),
)
ARROWS = Arrows(
    "one step",
    (Move("W[0]", 1.0, 2.0, 1.0), Move("W[1]", 1.0, 2.0, 0.0), Move("b[0]", 0.0, -1.0, -50.0)),
)
PICTURES = (CURVE, LOSSES, BOUNDARY, ARROWS)

SIGN = FindingEntry(
    "sign-dropped",
    "the sign is `abs`ent",
    "Your values are those of |x * x|.\nAt x[1] = -3 you returned 9.5, expected 9.\n"
    "Your line: return abs(y)  # why not\nSquares are never negative, so nothing tells.",
    {"got": 9.5, "expected": 9.0, "index": [1]},
    file="mine.py",
    line=8,
    hints=("What is abs(-3)?", "Look at `y`.", "Leave out what is not needed."),
    handout="2.1",
    check="checks/test_square.py::test_values",
    output="x is tensor([1.])\n",
)
STEP = FindingEntry(
    "update-not-in-place",
    "the caller's tensors stay as they were",
    "p[0] stayed at 1.\nThe caller holds the old tensor.",
    {"before": 1.0, "gradient": 2.0, "lr": 0.5, "after": 1.0, "expected": 0.0},
    line=15,
    end_line=17,
    hints=("Print id(p).",),
)
HIDDEN = FindingEntry(
    None,
    "values differ",
    "At x = 42.4242 you returned 7.7777.",
    {"got": 7.7777, "expected": 8.8888},
    line=12,
    hints=("Try x = 42.4242.",),
    check="hidden/test_cube.py::test_secret_shapes",
    hidden=True,
    output="saw 42.4242",
)


def check_of(
    exercise: str, title: str, earned: float, points: float = 1.0, hidden: bool = False, **more: Any
) -> dict[str, Any]:
    folder = "hidden" if hidden else "checks"
    outcome = "passed" if earned >= points else "failed"
    name = more.pop("name", title.split()[-1])
    about = {
        "exercise": exercise, "title": title, "points": points, "earned": earned,
        "visibility": "hidden" if hidden else "visible", "follow_through": [], **more,
    }  # fmt: skip
    return {
        "nodeid": f"{folder}/test_{exercise}.py::test_{name}", "lineno": 1, "outcome": outcome,
        "metadata": about, "call": {"duration": 0.01, "outcome": outcome},
    }  # fmt: skip


TESTS = [
    check_of("square", "keeps the values", 0.0, name="values"),
    check_of("square", "has the right gradient", 1.0),
    check_of("cube", "keeps the sign", 1.0),
    check_of("cube", "knows the secret shapes", 0.0, hidden=True, name="secret_shapes"),
    check_of("shrink", "moves every parameter", 0.0, 2.0),
    check_of("swell", "grows", 1.0, follow_through=["square"]),
    check_of("start", "gives leaves", 0.0),
]
MIXED = Report(
    AssignmentRef("by_hand", "Powers by hand", "0123456789abcdef"),
    SubmissionRef("mine", (FileRef("mine.py", "ab" * 32),), ("Ada Example",)),
    "graded",
    True,
    3.0,
    8.0,
    (
        ExerciseEntry(
            "square", 1.0, 2.0, "partial", (SIGN,),
            (AdviceEntry("uses-abs", "`abs` hides a sign.", 8),), handout="2.1",
        ),
        ExerciseEntry("cube", 1.0, 2.0, "partial", (HIDDEN,)),
        ExerciseEntry("shrink", 0.0, 2.0, "failed", (STEP,), handout="3"),
        ExerciseEntry("swell", 1.0, 1.0, "passed", stood_in=("square",)),
        ExerciseEntry("start", 0.0, 1.0, "not_attempted", handout="4"),
    ),
    notes=(NoteEntry("load-error", "NameError: name 'plt' is not defined", "mine.py", 19),),
    review=("the source reaches for ctypes (line 3)",),
    seed=7,
    isolation="jail",
    versions={"grader": "0.1.0", "python": "3.11.7"},
    duration=0.4,
)  # fmt: skip
DRAWN = {entry.name: PICTURES if entry.name == "square" else (CURVE,) for entry in MIXED.exercises}
DECIDED = structs.replace(
    MIXED,
    overrides=(
        OverrideEntry("shrink", 1.5, "", "shown in the exam", "staff7", 1.0),
        OverrideEntry("square", None, "sign-dropped", "the name is wrong", "staff7", 2.0),
    ),
    voided=(
        VoidEntry("hidden/test_cube.py::test_secret_shapes", "it was wrong", "staff7", 3.0),
        VoidEntry("checks/test_square.py::test_gradient", "too strict", "staff7", 3.0),
    ),
    final_score=3.5,
    final_max_score=6.0,
)


def document_of(report: Report, tests: list[dict[str, Any]] | None = None) -> Document:
    """A document as the plugin writes it, made on the fourth of March 2024."""
    known = TESTS if tests is None else tests
    return {
        "created": 1_709_553_600.0, "duration": report.duration, "exitcode": 1, "root": "",
        "environment": {}, "summary": {"total": len(known), "collected": len(known)},
        "tests": known, "grade": plain(to_builtins(report)),
    }  # fmt: skip
