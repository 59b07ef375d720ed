import pytest
import torch

from grader import assert_gradients, assert_numbers, assert_unchanged

pytestmark = pytest.mark.exercise("accumulated")


@pytest.mark.points(1)
def test_sums(student, parameter):
    """gives the growing gradient, as numbers that do not change any more

    A number that was written down does not change any more.
    """
    given = ((3.0, 3), (-1.25, 4))
    records = [student.observe.accumulated(parameter(w), steps) for w, steps in given]
    for record, (w, steps) in zip(records, given, strict=True):
        assert_numbers(record, [2 * w * count for count in range(1, steps + 1)])
    for record, (w, steps) in zip(records, given, strict=True):
        assert_gradients(record, [torch.tensor(2 * w * steps)])
        assert_unchanged(record)
