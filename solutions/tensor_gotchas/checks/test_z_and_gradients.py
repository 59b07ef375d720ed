import pytest
import torch

from grader import assert_gradients, assert_numbers, assert_unchanged

pytestmark = pytest.mark.exercise("z_and_gradients")


@pytest.mark.points(1)
def test_other_numbers(student, parameter):
    """is right at other places, on both sides of zero

    The gradients come from one backward, so x.grad and y.grad of the caller's own tensors hold
    them afterwards.
    """
    for x, y in ((-1.5, 2.0), (0.25, -3.0)):
        record = student.observe.z_and_gradients(parameter(x), parameter(y))
        assert_numbers(
            record,
            [x * y + x**2, y + 2 * x, x],
            names=("z", "the gradient for x", "the gradient for y"),
        )
        assert_gradients(record, [torch.tensor(y + 2 * x), torch.tensor(x)])
        assert_unchanged(record)
