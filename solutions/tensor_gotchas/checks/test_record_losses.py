import pytest

from grader import assert_numbers, assert_steps

pytestmark = pytest.mark.exercise("record_losses")


@pytest.mark.points(1)
def test_other_starts(student, draw, parameter):
    """works from other starts, for other rates and numbers of steps

    The updates are in place: at the end the caller's own w holds the result of the last one.
    """
    for shape, lr, steps in (((4,), 0.3, 5), ((2, 2), 0.05, 1)):
        w = parameter(draw.away_from(0, *shape))
        record = student.observe.record_losses(w, lr, steps)
        factor, total = 1 - 2 * lr, float((w.detach() ** 2).sum())
        assert_numbers(record, [total * factor ** (2 * step) for step in range(steps)])
        assert_steps(record, [w.detach() * factor**steps])
