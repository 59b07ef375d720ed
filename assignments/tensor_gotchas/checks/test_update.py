import pytest

from grader import assert_reset, assert_steps, assert_tracked

pytestmark = pytest.mark.exercise("update")


@pytest.mark.points(1)
def test_step(student, draw, parameter):
    """moves the caller's own w against its gradient, and it stays a leaf

    Afterwards the caller's own w holds w - lr * (its gradient).
    """
    for values, lr in (([1.0, 2.0], 0.1), (draw.away_from(0, 3, 2), 0.3)):
        w = parameter(values)
        record = student.observe.update(w, lr)
        assert_steps(record, [w.detach() * (1 - 2 * lr)])
        assert_tracked(record)


@pytest.mark.points(1)
def test_reset(student, parameter):
    """leaves no gradient behind

    Its gradient is reset: w.grad is all zeros or None.
    """
    w = parameter([1.0, 2.0, -3.0])
    record = student.observe.update(w, 0.2)
    assert any(argument.changed for argument in record.arguments), "w has not moved at all"
    assert_reset(record)
