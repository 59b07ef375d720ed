import pytest

from grader import assert_steps, assert_tracked

pytestmark = pytest.mark.exercise("update")


@pytest.mark.points(1)
def test_other_shapes(student, draw, parameter):
    """works for other shapes and rates, and leaves autograd recording

    w is still a leaf that requires grad, and autograd records as it did before.
    """
    for shape, lr in (((), 0.05), ((7,), 0.4), ((2, 1, 3), 1.5)):
        w = parameter(draw.away_from(0, *shape))
        record = student.observe.update(w, lr)
        assert_steps(record, [w.detach() * (1 - 2 * lr)])
        assert_tracked(record)
