"""Steps taken, gradients reset, leaves made, losses kept."""

from __future__ import annotations

import math

import pytest
import torch
from checking_students import failure_of, record_of

from grader.checking.facts import (
    assert_leaves,
    assert_losses,
    assert_reset,
    assert_steps,
    assert_tracked,
    left_over,
)
from grader.observation import Observation


def params() -> list[torch.Tensor]:
    """Two leaves with gradients."""
    made = [torch.tensor([[1.0, -2.0], [3.0, 0.5]]), torch.tensor([4.0])]
    for p, scale in zip(made, (1.0, -2.0), strict=True):
        p.requires_grad_()
        p.grad = torch.full_like(p, scale)
    return made


def expected(lr: float = 0.1) -> list[torch.Tensor]:
    return [p.detach() - lr * p.grad for p in params()]


def after(body: str) -> Observation:
    """The record of `sgd(params, 0.1)`; `body` is run for each p, `lr` at hand."""
    indented = body.replace("\n", "\n            ")
    return record_of(f"""
def sgd(params, lr):
    with torch.no_grad():
        for p in params:
            {indented}
""", "sgd", params(), 0.1)  # fmt: skip


RIGHT = "p -= lr * p.grad\np.grad.zero_()"


def test_a_right_step_passes_everything():
    for body in (RIGHT, "p -= lr * p.grad\np.grad = None",
                 "p -= lr * p.grad\np.grad = torch.zeros_like(p)"):  # fmt: skip
        record = after(body)
        assert_steps(record, expected())
        assert_reset(record)
        assert_tracked(record)
        assert not any(map(left_over, record.arguments))


def test_a_step_that_is_not_taken():
    failure = failure_of(lambda: assert_steps(after("p = p - lr * p.grad"), expected()))
    assert (failure.kind, failure.argument) == ("step", 0)
    evidence = failure.evidence
    assert evidence["moved"] == 0
    assert evidence["before"] == evidence["got"]
    assert evidence["gradient"] == 1.0
    assert evidence["expected"] == pytest.approx(evidence["before"] - 0.1)
    assert failure.observation is not None
    assert "before" in str(failure)


def test_a_step_of_another_length_and_the_tolerance_asked_for():
    record = after("p -= 1.01 * lr * p.grad")
    failure = failure_of(lambda: assert_steps(record, expected()))
    assert failure.evidence["moved"] == 2
    assert_steps(record, expected(), atol=0.003)
    assert failure_of(lambda: assert_steps(record, expected(), atol=0.0005)).kind == "step"


def test_a_step_of_one_parameter_only():
    record = after("if p.dim() == 2: p -= lr * p.grad")
    assert failure_of(lambda: assert_steps(record, expected())).argument == 1


def test_a_parameter_of_another_shape():
    failure = failure_of(lambda: assert_steps(after("p.data = p.data.reshape(-1)[:1]"), expected()))
    assert (failure.kind, failure.argument) == ("step", 0)
    assert "(1,)" in str(failure)


def test_a_gradient_that_is_left_over():
    failure = failure_of(lambda: assert_reset(after("p -= lr * p.grad")))
    assert (failure.kind, failure.argument, failure.earned) == ("reset", 0, 0.0)
    assert failure.evidence == {
        "index": [0, 0], "left": 1.0, "gradient": 1.0, "resets_elsewhere": False,
    }  # fmt: skip
    assert str(failure) == "after the call .grad[0, 0] is still 1"


def test_one_entry_that_is_left_over():
    failure = failure_of(lambda: assert_reset(after("p.grad.zero_()\np.grad[-1] = 0.25")))
    assert failure.evidence["index"] == [1, 0]
    assert failure.evidence["left"] == 0.25


def test_points_forgiven_where_it_is_reset_elsewhere():
    record = after("p -= lr * p.grad")
    asked = []

    def holds() -> bool:
        asked.append(1)
        return True

    forgiven = failure_of(lambda: assert_reset(record, forgiven=1.5, where=holds))
    assert forgiven.earned == 1.5
    assert forgiven.evidence["resets_elsewhere"] is True
    assert failure_of(lambda: assert_reset(record, forgiven=1.5, where=lambda: False)).earned == 0
    # Nothing is asked where nothing would come of it.
    failure_of(lambda: assert_reset(record, where=holds))
    assert_reset(after(RIGHT), forgiven=1.5, where=holds)
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("p.requires_grad_(False)", "requires_grad is False"),
        ("p.detach_()", "requires_grad is False"),
        ("torch.set_grad_enabled(True); p.mul_(1.0) if not p.is_leaf else p.data.mul_(1)", ""),
    ],
)
def test_a_parameter_that_is_tracked_no_more(body, words):
    record = after(body)
    if not words:
        assert_tracked(record)
        return
    failure = failure_of(lambda: assert_tracked(record))
    assert (failure.kind, failure.argument) == ("tracking", 0)
    assert words in str(failure)


def test_grad_mode_that_is_left_off():
    record = record_of("def sgd(params): torch.set_grad_enabled(False)", "sgd", params())
    failure = failure_of(lambda: assert_tracked(record))
    assert (failure.kind, failure.evidence) == ("tracking", {"grad_mode": False})
    assert torch.is_grad_enabled()


SHAPES = [[(2, 3)], [(3,), (1, 3)]]


def made(expression: str) -> Observation:
    return record_of(f"def init(): return {expression}", "init")


def leaf(shape: str, more: str = "requires_grad=True") -> str:
    return f"torch.ones({shape}, {more})"


@pytest.mark.parametrize("second", ["3", "1, 3"])
@pytest.mark.parametrize("brackets", ["[{}]", "({})"])
def test_leaves_in_each_accepted_form(second, brackets):
    assert_leaves(made(brackets.format(f"{leaf('2, 3')}, {leaf(second)}")), SHAPES)


@pytest.mark.parametrize(
    ("expression", "kind", "argument", "words"),
    [
        ("None", "type", None, "None came back"),
        (leaf("2, 3"), "type", None, "a list or tuple was due, a Tensor"),
        (f"[{leaf('2, 3')}]", "fact", None, "2 tensors were due, 1 came back"),
        (f"[{leaf('2, 3')}, 1.5]", "type", 1, "a float"),
        (f"[{leaf('2, 3')}, {leaf('3', 'dtype=torch.float64, requires_grad=True')}]", "dtype", 1,
         "float64"),
        (f"[{leaf('3, 2')}, {leaf('3')}]", "shape", 0, "(3, 2)"),
        (f"[{leaf('2, 3')}, {leaf('3, 1')}]", "shape", 1, "(3,) or (1, 3)"),
        (f"[{leaf('2, 3')}, torch.ones(3)]", "not-requiring-grad", 1, "requires_grad is False"),
        (f"[{leaf('2, 3')} * 0.1, {leaf('3')}]", "not-a-leaf", 0, "is_leaf is False"),
    ],
)  # fmt: skip
def test_leaves_that_are_none(expression, kind, argument, words):
    failure = failure_of(lambda: assert_leaves(made(expression), SHAPES))
    assert (failure.kind, failure.argument) == (kind, argument)
    assert words in str(failure)
    assert failure.observation is not None


def test_leaves_that_share_memory():
    three = f"(lambda b: [b, {leaf('3')}, b])({leaf('3')})"
    failure = failure_of(lambda: assert_leaves(made(three), [[(3,)]] * 3))
    assert (failure.kind, failure.argument) == ("shared", 2)
    assert failure.evidence == {"first": 0, "second": 2}
    assert "1 and 3 share" in str(failure)


def losses(expression: str) -> Observation:
    return record_of(f"def train(): return {expression}", "train")


def test_losses_that_are_right():
    assert_losses(losses("[0.5, 0.25]"), [0.5, 0.25])
    assert_losses(losses("(0.50005, 0.25)"), [0.5, 0.25])
    assert_losses(losses("[float('nan')]"), [math.nan])
    assert_losses(losses("[]"), [])


@pytest.mark.parametrize(
    ("expression", "kind", "evidence"),
    [
        ("None", "type", {"got": "None"}),
        ("torch.tensor([0.5, 0.25])", "type", {"got": "a Tensor"}),
        ("[0.5, torch.tensor(0.25)]", "type", {"got": "a Tensor", "index": 1}),
        ("[0, 0.25]", "type", {"got": "an int", "index": 0}),
        ("[0.5]", "losses", {"got": 1, "expected": 2, "what": "count"}),
        ("[0.5, 0.3]", "losses", {"index": 1, "got": 0.3, "expected": 0.25, "allowed": 1e-4}),
        ("[0.5, float('inf')]", "losses",
         {"index": 1, "got": math.inf, "expected": 0.25, "allowed": 1e-4}),
    ],
)  # fmt: skip
def test_losses_that_are_wrong(expression, kind, evidence):
    failure = failure_of(lambda: assert_losses(losses(expression), [0.5, 0.25]))
    assert (failure.kind, failure.evidence) == (kind, evidence)
    assert failure.observation is not None


def test_a_nan_among_numbers_is_wrong():
    failure = failure_of(lambda: assert_losses(losses("[float('nan'), 0.25]"), [0.5, 0.25]))
    assert failure.evidence["index"] == 0
