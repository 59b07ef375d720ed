import pytest
import torch

from grader import assert_reset, assert_steps, assert_tracked

pytestmark = pytest.mark.exercise("sgd")


@pytest.mark.points(1)
def test_update(student, network, fill):
    """moves every parameter by -lr times its gradient, in place, two steps running

    Every parameter p becomes p - lr * (its gradient): no momentum, no averaging, nothing else.
    """
    params = fill(network.parameters(5))
    first = student.observe.sgd(params, 0.3)
    assert_steps(first, [p.detach() - 0.3 * p.grad for p in params])
    # The right values and fresh gradients, in the very same tensors.
    moved = [(p.detach() - 0.3 * p.grad).requires_grad_() for p in params]
    second = student.observe.again(first).sgd(fill(moved), 0.05)
    assert_steps(second, [p.detach() - 0.05 * p.grad for p in moved])
    assert_tracked(second)


@pytest.mark.points(2)
def test_reset(student, oracle, network, fill, fresh):
    """leaves no gradient behind

    Then every gradient is reset: .grad is all zeros or None.
    """
    record = student.observe.sgd(fill(network.parameters(3)), 0.3)
    assert_reset(record, forgiven=1, where=lambda: trains_right(student, network, fresh))


def trains_right(student, network, fresh):
    """Whether this submission's own train gets it right with this sgd: it resets by itself."""
    params, X, Y, after, _ = network.start(hidden=4, count=4, rounds=3, lr=0.2)
    record = student.run("train", [fresh(params), X, Y, 3, 0.2])
    return record.raised is None and all(
        torch.allclose(argument.after, right.detach(), atol=3e-4)
        for argument, right in zip(record.arguments, after, strict=False)
    )
