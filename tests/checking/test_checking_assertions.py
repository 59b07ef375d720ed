"""What checks assert: each failure is of its kind and carries its numbers."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from checking_students import failure_of, here, record_of

from grader.assignment import Tolerance
from grader.checking.assertions import (
    assert_gradient,
    assert_matches,
    assert_tensor,
    assert_unchanged,
    fail,
    type_text,
)
from grader.errors import StudentError
from grader.observation import Opaque

ONES = torch.ones(2, 3)
X = torch.tensor([[-2.0, 0.5, 1.5], [1.0, -0.5, -3.0]])


def test_what_matches_passes():
    assert_matches(ONES.clone(), ONES)
    assert_matches(ONES * (1 + 5e-5), ONES)
    assert_matches(torch.ones(1, 1), torch.tensor(1.0), any_shape=True)
    assert_matches(ONES.double(), ONES, dtype=False)


@pytest.mark.parametrize(
    ("got", "text"),
    [
        (None, "None"),
        (1.5, "a float"),
        ([1.0], "a list"),
        (3, "an int"),
        (np.ones(2), "a numpy array"),
        (Opaque("dict"), "a dict"),
        (Opaque("Odd"), "an Odd"),
    ],
)
def test_what_is_no_tensor(got, text):
    failure = failure_of(lambda: assert_tensor(got))
    assert (failure.kind, failure.evidence) == ("type", {"got": text})
    assert text in str(failure)
    assert failure_of(lambda: assert_matches(got, ONES)).kind == "type"
    assert type_text(got) == text


def test_another_dtype():
    failure = failure_of(lambda: assert_matches(ONES.double(), ONES))
    assert failure.kind == "dtype"
    assert failure.evidence == {"got": "float64", "expected": "float32"}
    assert failure.got is not None
    assert failure.expected is ONES


@pytest.mark.parametrize("any_shape", [False, True])
def test_another_shape(any_shape):
    failure = failure_of(lambda: assert_matches(torch.ones(3), ONES, any_shape=any_shape))
    assert failure.kind == "shape"
    assert failure.evidence == {"got": [3], "expected": [2, 3]}
    assert "(3,)" in str(failure)
    assert "(2, 3)" in str(failure)


def test_a_transposed_answer_is_a_shape_unless_any_will_do():
    assert failure_of(lambda: assert_matches(torch.ones(3, 2), ONES)).kind == "shape"
    assert_matches(torch.ones(3, 2), ONES, any_shape=True)


def test_other_values():
    got = ONES.clone()
    got[1, 2] = 4.0
    failure = failure_of(lambda: assert_matches(got, ONES))
    assert failure.kind == "values"
    assert failure.evidence == {
        "differ": 1, "of": 6, "index": [1, 2], "got": 4.0, "expected": 1.0, "difference": 3.0,
        "allowed": pytest.approx(1.1e-4),
    }  # fmt: skip
    assert str(failure) == "1 of 6 values differ, most at [1, 2]: got 4, expected 1"
    assert_matches(got, ONES, tolerance=Tolerance(rtol=0, atol=3))


def test_one_value_is_told_without_an_index():
    failure = failure_of(lambda: assert_matches(torch.tensor(2.0), torch.tensor(1.0)))
    assert str(failure) == "in the one value: got 2, expected 1"


def test_a_right_gradient_passes():
    assert_gradient(lambda x: x * (x > 0), torch.relu, X)
    assert_gradient(lambda x, y: (x * y).sum().reshape(1), lambda x, y: (x * y).sum(), X, ONES,
                    any_shape=True)  # fmt: skip


def test_wrong_values_are_told_before_gradients():
    failure = failure_of(lambda: assert_gradient(lambda x: x * 2, torch.relu, X))
    assert failure.kind == "values"


def test_a_wrong_gradient():
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return torch.relu(x)

        @staticmethod
        def backward(ctx, grad):
            return grad

    failure = failure_of(lambda: assert_gradient(Wrong.apply, torch.relu, X))
    assert (failure.kind, failure.argument) == ("gradient", 0)
    assert failure.evidence["differ"] == 3
    assert failure.evidence["expected"] == 0


def test_entries_that_trade_places_are_seen():
    """The sum of the gradients would be right."""

    class Turned(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad.flip(1)

    assert failure_of(lambda: assert_gradient(Turned.apply, lambda x: x * 1, X)).kind == "gradient"


@pytest.mark.parametrize("cut", ["detach", "data", "none of it"])
def test_a_gradient_that_does_not_come_back(cut):
    def product(x, y):
        if cut == "none of it":
            return (x * y).detach()
        return x * (y.detach() if cut == "detach" else y.data)

    failure = failure_of(lambda: assert_gradient(product, lambda x, y: x * y, X, ONES + 1))
    missing = [0, 1] if cut == "none of it" else [1]
    assert failure.kind == "gradient-missing"
    assert failure.argument == missing[0]
    assert failure.evidence["missing"] == missing
    assert failure.evidence["expected_first"] == pytest.approx(
        0.5 * float((ONES + 1 if missing[0] == 0 else X)[0, 0])
    )


def test_gradients_are_asked_only_of_the_chosen_arguments():
    def cut_to_y(x, y):
        return x * y.detach()

    assert_gradient(cut_to_y, lambda x, y: x * y, X, ONES, wrt=[0])
    failure = failure_of(lambda: assert_gradient(cut_to_y, lambda x, y: x * y, X, ONES, wrt=[1]))
    assert failure.argument == 1


def test_what_cannot_do_float64_is_judged_in_float32():
    calls = []

    def single_only(x):
        calls.append(x.dtype)
        return torch.relu(x.float())

    assert_gradient(single_only, torch.relu, X)
    assert calls == [torch.float64, torch.float32]


def test_a_student_that_raises_on_float64_is_judged_in_float32():
    text = """
        def relu(x):
            if x.dtype == torch.float64:
                raise ValueError("no")
            return torch.where(x > 0, x, torch.zeros_like(x))
        def never(x):
            raise ValueError("never")
    """
    with here(text) as student:
        assert_gradient(student.relu, torch.relu, X)
        with pytest.raises(StudentError, match="never"):
            assert_gradient(student.never, torch.relu, X)


def test_small_steps_catch_what_the_oracle_shares():
    """Where the oracle is wrong in the same way, gradcheck still disagrees."""

    class Half(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad

    failure = failure_of(lambda: assert_gradient(Half.apply, Half.apply, X))
    assert failure.kind == "gradcheck"
    assert "Jacobian" in failure.evidence["gradcheck"]


def test_arguments_left_alone_pass():
    assert_unchanged(record_of("def f(x): return x + 1", "f", X))


def test_an_argument_that_was_changed():
    before = X.clone()
    failure = failure_of(
        lambda: assert_unchanged(record_of("def f(y, x): x[x < 0] = 0; return x", "f", ONES, X))
    )
    assert (failure.kind, failure.argument) == ("changed", 1)
    assert (failure.evidence["differ"], failure.evidence["of"]) == (3, 6)
    assert (failure.evidence["got"], failure.evidence["expected"]) == (0.0, -3.0)
    # The caller's own is a copy.
    assert torch.equal(X, before)


def test_an_argument_whose_shape_was_changed():
    record = record_of("def f(x): x.unsqueeze_(0); return x", "f", X)
    failure = failure_of(lambda: assert_unchanged(record))
    assert (failure.kind, failure.evidence) == ("changed", {})


def test_a_finding_of_an_authors_own():
    record = record_of("def f(x): return x", "f", X)
    failure = failure_of(
        lambda: fail("three were due", bug="slug", evidence={"n": 3}, argument=2, earned=0.5,
                     record=record)
    )  # fmt: skip
    assert (failure.kind, str(failure), failure.bug) == ("fact", "three were due", "slug")
    assert (failure.evidence, failure.argument, failure.earned) == ({"n": 3}, 2, 0.5)
    assert failure.observation is record
    assert isinstance(failure, AssertionError)
