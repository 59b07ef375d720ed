import pytest

from grader import assert_losses, assert_steps

pytestmark = pytest.mark.exercise("train")


@pytest.mark.points(1)
def test_another_start(student, network, fresh):
    """ends where right training ends, from another start

    Each visit is one step: the cross-entropy of that sample alone, its gradients, one plain
    update p - lr * (its gradient).
    """
    params, X, Y, after, losses = network.start(hidden=8, count=5, rounds=3, lr=0.5)
    record = student.observe.train(fresh(params), X, Y, 3, 0.5)
    assert_steps(record, [p.detach() for p in after] + [X, Y], atol=3e-4)
    assert_losses(record, losses, atol=5e-3)


@pytest.mark.points(1)
def test_learning(student, network, fresh):
    """learns as right training does

    Returns a list of epochs * N Python floats, one a step, in the order of the steps.
    """
    params, X, Y, _, losses = network.start(hidden=10, count=4, rounds=4, lr=0.2)
    record = student.observe.train(fresh(params), X, Y, 4, 0.2)
    assert_losses(record, losses, atol=5e-3)
    rounds = [sum(record.returned[i : i + 4]) for i in range(0, 16, 4)]
    right = [sum(losses[i : i + 4]) for i in range(0, 16, 4)]
    assert (rounds[-1] < rounds[0]) == (right[-1] < right[0]), "the loss does not fall as it should"
