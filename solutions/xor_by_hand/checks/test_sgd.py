import pytest

from grader import assert_steps, assert_tracked

pytestmark = pytest.mark.exercise("sgd")


@pytest.mark.points(1)
def test_other_rates(student, network, fill):
    """takes the step for other rates and the rate of 0.1 when none is given

    Every parameter p becomes p - lr * (its gradient): no momentum, no averaging, nothing else.
    """
    for lr in (1.5, 0.02):
        params = fill(network.parameters(7, (1, 7), (1, 1)))
        record = student.observe.sgd(params, lr)
        assert_steps(record, [p.detach() - lr * p.grad for p in params])
    params = fill(network.parameters(3))
    assert_steps(student.observe.sgd(params), [p.detach() - 0.1 * p.grad for p in params])


@pytest.mark.points(1)
def test_still_tracked(student, network, fill):
    """leaves parameters that autograd still tracks

    The parameters remain leaves that require grad.
    """
    record = student.observe.sgd(fill(network.parameters(4)), 0.3)
    assert any(argument.changed for argument in record.arguments), "no parameter moved at all"
    finite = all(bool(argument.after.isfinite().all()) for argument in record.arguments)
    assert finite, "parameters no longer hold numbers"
    assert_tracked(record)
