import pytest
import torch

from grader import assert_gradients, assert_numbers, assert_unchanged

pytestmark = pytest.mark.exercise("z_and_gradients")

NAMES = ("z", "the gradient for x", "the gradient for y")


@pytest.mark.points(1)
def test_numbers(student, draw, parameter):
    """gives z and both gradients, and leaves the gradients in x and y

    Returns z, its gradient for x and its gradient for y: three Python floats, in a list or tuple.
    """
    given = [(3.0, 4.0), (float(draw.away_from(0)), float(draw.away_from(0)))]
    records = [student.observe.z_and_gradients(parameter(x), parameter(y)) for x, y in given]
    for record, (x, y) in zip(records, given, strict=True):
        assert_numbers(record, [x * y + x**2, y + 2 * x, x], names=NAMES)
    for record, (x, y) in zip(records, given, strict=True):
        assert_gradients(record, [torch.tensor(y + 2 * x), torch.tensor(x)])
        assert_unchanged(record)
