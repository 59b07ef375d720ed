import pytest

from grader import assert_gradient, assert_matches, assert_unchanged

pytestmark = pytest.mark.exercise("cross_entropy")


@pytest.mark.points(1)
def test_values(student, oracle, draw):
    """is the mean of the samples' losses

    Returns a tensor with one element, of y_pred's dtype; y_pred and y stay as they were.
    """
    y_pred, y = draw.uniform(7, 1, low=0.05, high=0.95), draw.labels(7, 1)
    record = student.observe.cross_entropy(y_pred, y)
    assert_matches(record.returned, oracle.cross_entropy(y_pred, y), any_shape=True)
    assert_unchanged(record)


@pytest.mark.points(1)
def test_gradient(student, oracle, draw):
    """has the right gradient for the predictions

    Gradients must flow back to y_pred.
    """
    y_pred, y = draw.uniform(5, 1, low=0.1, high=0.9), draw.labels(5, 1)
    assert_gradient(student.cross_entropy, oracle.cross_entropy, y_pred, y, wrt=[0], any_shape=True)
