"""Pictures of real submissions, asked of real workers."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import torch

from grader.assignment import find_assignment
from grader.checking.oracle import load_module
from grader.cli.running import starting
from grader.grading import Graded, with_grading
from grader.report.document import without_times
from grader.report.pictures import (
    Arrows,
    Boundary,
    Curve,
    Losses,
    collect_pictures,
    makers_in,
    numbers,
)
from grader.submission import read_submission

ROOT = Path(__file__).resolve().parents[2]
STAFF = ROOT / "solutions" / "xor_by_hand"
REFERENCE = (STAFF / "reference.py").read_text()
LEAKY = "\n\ndef relu(x):\n    return torch.maximum(x, 0.1 * x)\n"
COUNTING = """

CALLS = 0


def relu(x):
    global CALLS
    CALLS += 1
    return x * 0 + CALLS
"""
HANGING = """

def logistic(x):
    while x.numel() == 41:
        pass
    return 1 / (2 + torch.exp(-x))


def sgd(params, lr=0.1):
    pass
"""


def pictures(graded: Graded, exercise: str):
    return graded.pictures.get(exercise, ())


@pytest.fixture(scope="module")
def graded(tmp_path_factory) -> dict[tuple[str, str], Graded]:
    """Submissions by name and by which pictures were wanted; hidden checks run too."""
    folder = tmp_path_factory.mktemp("submissions")
    texts = {
        "right": REFERENCE, "leaky": REFERENCE + LEAKY, "counting": REFERENCE + COUNTING,
        "hanging": REFERENCE + HANGING,
    }  # fmt: skip
    done = {}
    assignment = find_assignment(str(ROOT / "assignments" / "xor_by_hand"), ROOT / "solutions")
    wanted = {"all": ["right", "counting"], "lost": ["right", "leaky", "hanging"]}

    def grade(mode, names, worker):

        def body(grading):
            for name in names:
                file = folder / f"{name}.py"
                file.write_text(texts[name])
                began = time.monotonic()
                done[name, mode] = grading.grade(read_submission(file))
                done[name, mode, "seconds"] = time.monotonic() - began

        with_grading(assignment, body, start_worker=worker, isolation="process", pictures=mode)

    with starting("process", assignment.limits, [], warm=True) as workers:
        for mode, names in wanted.items():
            grade(mode, names, workers.worker)
    return done


def test_a_right_submission_has_every_picture(graded):
    found = graded["right", "all"].pictures
    kinds = {name: [type(picture) for picture in made] for name, made in found.items()}
    assert kinds == {
        "relu": [Curve], "logistic": [Curve], "cross_entropy": [Curve], "sgd": [Arrows],
        "train": [Losses, Boundary],
    }  # fmt: skip
    for name in ("relu", "logistic", "cross_entropy"):
        for line in found[name][0].lines:
            assert line.got == pytest.approx(line.expected, rel=1e-4, abs=1e-5)
    assert all(m.got == pytest.approx(m.expected) != m.before for m in found["sgd"][0].moves)
    losses, boundary = found["train"]
    assert losses.got == pytest.approx(losses.expected, rel=1e-3)
    assert sum(losses.got[-12:]) < 0.7 * sum(losses.got[:12])
    says = torch.tensor(boundary.got) > 0.5
    right = (torch.tensor(boundary.x) > 0.5)[None] != (torch.tensor(boundary.y) > 0.5)[:, None]
    assert (says == right).float().mean() > 0.9


def test_the_library_pieces_give_the_same_pictures(graded):
    """They are the public oracle: a student's own run has no other."""
    folder = ROOT / "assignments" / "xor_by_hand"
    library = load_module(folder / "library_pieces.py", "pieces")
    makers = makers_in(load_module(folder / "pictures.py", "own_pictures"))

    class Student:
        """The reference, called here, as far as a picture asks."""

        def __init__(self):
            self.reference = load_module(STAFF / "reference.py", "reference")
            self.observe = self

        def begin(self, scope):
            pass

        def __getattr__(self, name):
            return getattr(self.reference, name)

    found = collect_pictures(
        {name: made for name, made in makers.items() if name not in ("sgd", "train")},
        list(makers), Student(), library, strict=True,
    )  # fmt: skip
    for name, (picture,) in found.items():
        (known,) = pictures(graded["right", "all"], name)
        for line, other in zip(picture.lines, known.lines, strict=True):
            assert line.expected == pytest.approx(other.expected, rel=1e-4, abs=1e-5)


def test_a_batch_collects_what_shows_a_mistake_and_nothing_else(graded):
    found = graded["leaky", "lost"].pictures
    assert list(found) == ["relu"]
    (line,) = found["relu"][0].lines
    below = [(x, got) for x, got in zip(line.x, line.got, strict=True) if x < 0]
    assert len(below) == 20
    assert all(got == pytest.approx(0.1 * x, abs=1e-4) for x, got in below)
    assert graded["right", "lost"].pictures == {}


def test_what_checks_gave_to_a_function_does_not_come_out_of_a_picture(graded):
    """The worker that is asked for pictures has seen no check, so this count begins anew."""
    (line,) = pictures(graded["counting", "all"], "relu")[0].lines
    assert set(line.got) == {1.0}


def test_a_picture_that_hangs_is_left_out_and_costs_little(graded):
    report = graded["hanging", "lost"].report
    assert list(graded["hanging", "lost"].pictures) == ["sgd"]
    assert {e.name: e.status for e in report.exercises}["logistic"] == "failed"
    assert all(
        move.got == move.before for move in pictures(graded["hanging", "lost"], "sgd")[0].moves
    )
    assert graded["hanging", "lost", "seconds"] < 30


def test_pictures_cost_no_verdict(graded):
    first, second = (graded["right", mode].report for mode in ("all", "lost"))
    assert first.score == second.score == first.max_score
    assert [e.status for e in first.exercises] == [e.status for e in second.exercises]
    documents = [without_times(graded["right", mode].document) for mode in ("all", "lost")]
    assert documents[0] == documents[1]


def test_numbers_of_a_picture_are_short(graded):
    for made in graded["right", "all"].pictures.values():
        for picture in made:
            if isinstance(picture, Curve):
                for line in picture.lines:
                    assert line.got == numbers(list(line.got))
