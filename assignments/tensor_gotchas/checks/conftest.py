"""Fixtures that public and hidden checks share."""

import pytest
import torch

from grader import computed, leaf


@pytest.fixture
def parameter():
    """Makes a leaf that requires grad, from numbers or from a tensor."""

    def make(values):
        return torch.as_tensor(values, dtype=torch.float32).clone().requires_grad_()

    return make


@pytest.fixture
def board():
    """The graph on the board: a leaf that is used twice."""

    def make(values):
        a = leaf("a", torch.tensor(values))
        c = computed("mean", computed("mul", a, 2.0))
        return computed("add", a, c)

    return make
