import pytest

from grader import assert_matches, assert_unchanged

pytestmark = pytest.mark.exercise("gradient_of_middle")


@pytest.mark.points(1)
def test_gradient(student, parameter):
    """gives the gradient at the tensor in the middle

    Returns the gradient of loss with respect to middle, as one tensor of x's shape and dtype.
    """
    for values in ([[0.5, -3.0, 2.0], [1.5, 2.5, -1.0]], [1.0, 2.0]):
        x = parameter(values)
        record = student.observe.gradient_of_middle(x)
        assert_matches(record.returned, 2 * x.detach() ** 2)
        assert_unchanged(record)
