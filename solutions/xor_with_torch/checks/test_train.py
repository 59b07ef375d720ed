import pytest

from grader import assert_floats, assert_moved

pytestmark = pytest.mark.exercise("train")


@pytest.mark.points(2)
def test_another_start(student, network):
    """ends where right training ends, from another start and with the usual rate

    The given model's own parameters move, starting from the values that they have.
    """
    weights, X, y, after, totals = network.start(hidden=8, count=5, epochs=2, lr=0.1)
    model = network.model(weights)
    record = student.observe.train(model, X, y, 2)
    assert_moved(record, model, after, atol=3e-4)
    assert_floats(record, totals, atol=5e-3, what="total")


@pytest.mark.points(1)
def test_learning(student, network):
    """learns as right training does

    Returns a list of epochs Python floats: for each epoch the sum of its samples' losses, each
    taken before that sample's step.
    """
    weights, X, y, _, totals = network.start(hidden=10, count=4, epochs=4, lr=0.4)
    record = student.observe.train(network.model(weights), X, y, 4, 0.4)
    assert_floats(record, totals, atol=5e-3, what="total")
