"""Tensors compared."""

from __future__ import annotations

import math

import pytest
import torch

from grader.assignment import LOOSE, Tolerance
from grader.checking.comparing import difference

NAN, INF = math.nan, math.inf
EXACT = Tolerance(rtol=0, atol=0)


def test_equal_tensors_do_not_differ():
    for values in ([1.0, -2.0], [NAN, 1.0], [INF, -INF], []):
        assert difference(torch.tensor(values), torch.tensor(values), EXACT) is None


def test_it_says_where_most_and_how_many():
    got = torch.tensor([[1.0, 2.5, 3.0], [4.0, 5.0, 9.0]])
    found = difference(got, torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), LOOSE)
    assert found is not None
    assert (found.count, found.total, found.index) == (2, 6, (1, 2))
    assert (found.got, found.expected, found.absolute) == (9.0, 6.0, 3.0)
    assert found.allowed == pytest.approx(1e-5 + 1e-4 * 6)


def test_the_rule_is_of_the_expected_value():
    tolerance = Tolerance(rtol=0.1, atol=0.0)
    assert difference(torch.tensor([109.0]), torch.tensor([100.0]), tolerance) is None
    assert difference(torch.tensor([100.0]), torch.tensor([90.0]), tolerance) is not None


@pytest.mark.parametrize(
    ("got", "expected", "index"),
    [
        ([5.0, NAN, 0.0], [0.0, 1.0, 0.0], (1,)),
        ([5.0, 1.0, 0.0], [0.0, NAN, 0.0], (1,)),
        ([0.0, INF, 9.0], [0.0, 1.0, 0.0], (1,)),
        ([0.0, INF, 9.0], [0.0, -INF, 0.0], (1,)),
        ([INF, 1.0, 9.0], [INF, 1.0, 0.0], (2,)),
        ([NAN, NAN, 9.0], [NAN, NAN, 0.0], (2,)),
    ],
)
def test_nan_and_infinity_come_before_all_else(got, expected, index):
    found = difference(torch.tensor(got), torch.tensor(expected), LOOSE)
    assert found is not None
    assert found.index == index


def test_infinity_is_not_within_a_tolerance_of_infinity():
    """rtol times an infinite value would allow everything."""
    assert difference(torch.tensor([1.0]), torch.tensor([INF]), LOOSE) is not None
    assert difference(torch.tensor([-INF]), torch.tensor([INF]), LOOSE) is not None


def test_a_scalar_has_no_index():
    found = difference(torch.tensor(2.0), torch.tensor(1.0), LOOSE)
    assert found is not None
    assert (found.index, found.count, found.total) == ((), 1, 1)


def test_booleans_and_integers_are_compared_as_numbers():
    found = difference(torch.tensor([True, False]), torch.tensor([True, True]), EXACT)
    assert found is not None
    assert (found.index, found.got, found.expected) == ((1,), 0.0, 1.0)


def test_graphs_are_left_alone():
    x = torch.ones(2, requires_grad=True)
    assert difference(x * 2, torch.tensor([2.0, 2.0]), EXACT) is None
    assert x.grad is None
