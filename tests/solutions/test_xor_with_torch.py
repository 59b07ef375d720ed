"""What is particular to `xor_with_torch`: by library, and wrong answers that can be told apart."""

from __future__ import annotations

import ast
import itertools
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.assignment import load_assignment
from grader.authoring.audit_tasks import expected_of, submissions_in
from grader.checking.draw import Draw
from grader.checking.oracle import load_module
from grader.grading import Grading, catalogue_of, with_grading
from grader.misconceptions.imitation import Imitation, collect
from grader.misconceptions.replicas import _same
from grader.report.model import Report
from grader.student.handles import Blueprint
from grader.submission import read_submission

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "assignments" / "xor_with_torch"
ASSIGNMENT = load_assignment(FOLDER, ROOT / "solutions")
LIBRARY = load_module(FOLDER / "library_pieces.py", "with_torch_library")
MODULE = load_module(FOLDER / "misconceptions.py", "with_torch_misconceptions")
OWN = collect(MODULE)
EXERCISES = ["make_model", "to_library", "loss_function", "train", "accuracy"]


def graded(path: Path) -> Report:
    """The report on a submission of our own, in this process."""
    found: list[Report] = []

    def body(grading: Grading) -> None:
        found.append(grading.grade(read_submission(path)).report)

    with_grading(ASSIGNMENT, body, start_worker=None, isolation="in-process")
    return found[0]


def test_what_stands_in_for_an_exercise_is_no_answer_to_it() -> None:
    """Students may read the library pieces: by hand, as they are, they earn nothing."""
    report = graded(FOLDER / "library_pieces.py")
    assert report.status == "graded"
    assert [exercise.score for exercise in report.exercises] == [0] * len(EXERCISES)
    named = {e.name: [found.bug for found in e.findings] for e in report.exercises}
    assert named == {name: ["library-piece-not-used"] for name in EXERCISES}


def test_every_name_is_in_the_catalogue_and_every_own_one_is_shown_by_a_submission() -> None:
    known = catalogue_of(ASSIGNMENT)
    used = {slug for one in OWN.imitations for slug in one.slugs}
    used |= {one.slug for one in OWN.recognisers}
    # Those that checks give themselves.
    for check in [*FOLDER.glob("checks/*.py"), *(ROOT / "solutions").glob("xor_with_torch/*/*.py")]:
        used |= set(re.findall(r'bug="([a-z-]+)"', check.read_text(encoding="utf-8")))
    assert used <= set(known)
    assert ASSIGNMENT.solutions is not None
    wrong = submissions_in(ASSIGNMENT.solutions / "wrong")
    due = {slug for path in wrong for slug in expected_of(path).values()}
    own = set(re.findall(r"^\[([a-z-]+)\]$", (FOLDER / "misconceptions.toml").read_text(), re.M))
    assert len(own) > 50
    assert own - due == set()


def test_the_checks_say_nothing_that_names_a_solution() -> None:
    """Public files hold none of the model answer's statements about the library."""
    answer = ast.parse((ROOT / "solutions/xor_with_torch/reference.py").read_text("utf-8"))
    imports = ast.Import | ast.ImportFrom
    lines = {
        ast.unparse(node)
        for node in ast.walk(answer)
        if isinstance(node, ast.stmt) and not isinstance(node, imports)
    }
    telling = {line for line in lines if "nn." in line or "optim" in line or "no_grad" in line}
    assert telling
    for file in [*FOLDER.glob("*.py"), *FOLDER.glob("checks/*.py")]:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        public = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.stmt)}
        assert not telling & public, file


# Wrong answers


def by_hand(X: torch.Tensor, parameters: dict[str, torch.Tensor]) -> torch.Tensor:
    W1, b1, W2, b2 = MODULE.by_shape(parameters, X)
    return (X @ W1 + b1).clamp(min=0) @ W2 + b2


def cases(exercise: str) -> list[tuple[Any, ...]]:
    """What an imitation of this exercise is called with, on each of the further inputs."""
    draw = Draw(7, exercise)
    assert OWN.inputs is not None
    found = []
    for args in OWN.inputs(exercise, draw):
        if exercise == "loss_function":
            found.append(args[1])
        elif exercise in ("make_model", "to_library"):
            blueprint, _ = MODULE.drawn(draw, args[0][0] if exercise == "make_model" else 6)
            values = dict(zip("abcd", blueprint.parameters, strict=True))
            found.append((args[1][0], values))
        else:
            found.append(tuple(args))
    return found


def given(args: tuple[Any, ...]) -> list[Any]:
    return [arg.build() if isinstance(arg, Blueprint) else arg for arg in args]


def result(function: Any, args: tuple[Any, ...], first: tuple[Any, ...] = ()) -> list[Any]:
    made = given(args)
    out = function(*first, *made)
    out = out.detach() if isinstance(out, torch.Tensor) else out
    moved = [p.detach() for p in made[0].parameters()] if hasattr(made[0], "parameters") else []
    return [out, *moved]


def results(one: Imitation, inputs: list[tuple[Any, ...]]) -> list[Any]:
    return [result(one.function, args, (LIBRARY,) if one.pieces else ()) for args in inputs]


def right(exercise: str) -> Any:
    if exercise == "loss_function":
        return LIBRARY.loss_function()
    return by_hand if exercise in ("make_model", "to_library") else getattr(LIBRARY, exercise)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_wrong_answers_differ_from_the_right_one_and_from_each_other(exercise: str) -> None:
    inputs = cases(exercise)
    assert inputs
    due = [result(right(exercise), args) for args in inputs]
    seen = {one: results(one, inputs) for one in OWN.of(exercise)}
    assert seen
    for one, got in seen.items():
        if one.slugs != ("logistic-apart-from-loss",):  # it differs for large logits alone
            assert not _same(got, due), one.account
    for (one, got), (other, other_got) in itertools.combinations(seen.items(), 2):
        if one.slugs != other.slugs:
            assert not _same(got, other_got), (one.account, other.account)


def test_large_logits_tell_a_loss_on_probabilities() -> None:
    z, y = torch.tensor([[150.0], [-120.0]]), torch.tensor([[0.0], [1.0]])
    one = next(o for o in OWN.of("loss_function") if o.slugs == ("logistic-apart-from-loss",))
    assert one.function(z, y).item() == 100.0
    assert LIBRARY.loss_function()(z, y).item() == 135.0


def test_accounts_follow_a_colon() -> None:
    for one in OWN.imitations:
        assert one.account, one
        assert not one.account.endswith("."), one.account
        assert one.account[0].islower(), one.account


# From outside


def test_a_batch_recalls_what_it_judged_of_models_too() -> None:
    """The same questions name the same objects in every worker."""
    assert ASSIGNMENT.solutions is not None
    reports: list[Report] = []

    def body(grading: Grading) -> None:
        folder = ASSIGNMENT.solutions
        assert folder is not None
        for name in ("right/train_split.py", "right/train_split.py", "wrong/step_never.py"):
            reports.append(grading.grade(read_submission(folder / name)).report)

    with_grading(ASSIGNMENT, body, start_worker=None, isolation="in-process")
    first, again, wrong = reports
    assert (first.score, again.score) == (20, 20)
    assert [e.score for e in first.exercises] == [e.score for e in again.exercises]
    assert {e.name: e.score for e in wrong.exercises}["train"] < 6


def test_start_fill_in_and_grade(tmp_path: Path) -> None:
    grade = Path(sys.executable).with_name("grade")
    folder = tmp_path / "mine"
    subprocess.run([grade, "start", "xor_with_torch", folder], check=True, capture_output=True)
    answer = (ROOT / "solutions/xor_with_torch/right/train_zero_after_step.py").read_bytes()
    (folder / "xor_with_torch.py").write_bytes(answer)
    done = subprocess.run([grade], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "20 of 20 points" in done.stdout
