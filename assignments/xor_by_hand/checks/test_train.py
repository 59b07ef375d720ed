import pytest

from grader import assert_losses, assert_steps

pytestmark = pytest.mark.exercise("train")


@pytest.mark.points(1)
def test_losses_in_order(student, network, fresh):
    """visits the samples one at a time in the given order, and records each one's own loss

    The samples are visited in the given order, one at a time, and that epochs times over.
    """
    params, X, Y, _, losses = network.start(hidden=4, count=5, rounds=2, lr=0.0)
    record = student.observe.train(fresh(params), X, Y, 2, 0.0)
    assert_losses(record, losses)


@pytest.mark.points(1)
def test_training(student, network, fresh):
    """ends where right training ends

    The parameters are updated in place, starting from the values given.
    """
    params, X, Y, after, losses = network.start(hidden=5, count=7, rounds=2, lr=0.3)
    record = student.observe.train(fresh(params), X, Y, 2, 0.3)
    assert_steps(record, [p.detach() for p in after] + [X, Y], atol=3e-4)
    assert_losses(record, losses, atol=5e-3)
