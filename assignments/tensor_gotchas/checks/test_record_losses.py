import pytest

from grader import assert_numbers, assert_steps, assert_tracked

pytestmark = pytest.mark.exercise("record_losses")


@pytest.mark.points(1)
def test_losses(student, parameter):
    """gives each step's loss before its update, as numbers, and moves w

    Returns a list of `steps` Python floats, the loss of each step before its update.
    """
    for values, lr, steps in (([1.0, 2.0], 0.1, 3), ([0.5, -1.5, 2.5], 0.2, 4)):
        w = parameter(values)
        record = student.observe.record_losses(w, lr, steps)
        factor, total = 1 - 2 * lr, float((w.detach() ** 2).sum())
        assert_numbers(record, [total * factor ** (2 * step) for step in range(steps)])
        assert_steps(record, [w.detach() * factor**steps])
        assert_tracked(record)
