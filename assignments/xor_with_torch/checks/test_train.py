import pytest

from grader import assert_floats, assert_moved, fail

pytestmark = pytest.mark.exercise("train")


@pytest.mark.points(2)
def test_training(student, network):
    """ends where right training ends, with each epoch's summed loss

    Each visit is one step: the loss of that sample alone, its gradients, and one plain step of
    gradient descent with learning rate lr.
    """
    weights, X, y, after, totals = network.start(hidden=5, count=6, epochs=3, lr=0.2)
    model = network.model(weights)
    record = student.observe.train(model, X, y, 3, 0.2)
    assert_moved(record, model, after, atol=3e-4)
    assert_floats(record, totals, atol=5e-3, what="total")


@pytest.mark.points(1)
def test_batches(student, network):
    """gives the model one sample at a time, as a batch

    The model always gets a batch of one, a tensor of shape (1, 2).
    """
    weights, X, y, _, _ = network.start(hidden=4, count=4, epochs=2, lr=0.1)
    model = network.model(weights)
    record = student.observe.train(model, X, y, 2, 0.1)
    # A look at all samples while nothing is recorded is no part of the training.
    seen = record.module(model)
    passes = [one for one in seen.passes if one.own and one.grad_mode]
    if not passes and not seen.moved:
        fail("the model that was passed in was never called", record=record)
    for one in passes:
        if one.shape == (2,):
            fail(
                "the model got tensors of shape (2,): one sample, and no batch of one",
                bug="batch-dimension-dropped",
                evidence={"shape": [2], "file": one.filename, "line": one.line},
                record=record,
            )
        if one.shape != (1, 2):
            fail(f"the model got a tensor of shape {one.shape}, it should be (1, 2)", record=record)
