import pytest
import torch

from grader import assert_gradients, assert_numbers, assert_unchanged

pytestmark = pytest.mark.exercise("accumulated")


@pytest.mark.points(1)
def test_other_counts(student, parameter):
    """works for other numbers of passes, one included

    The loss is w ** 2; backward runs on it `steps` times.
    """
    for w, steps in ((0.5, 6), (4.0, 1)):
        record = student.observe.accumulated(parameter(w), steps)
        assert_numbers(record, [2 * w * count for count in range(1, steps + 1)])
        assert_gradients(record, [torch.tensor(2 * w * steps)])
        assert_unchanged(record)
