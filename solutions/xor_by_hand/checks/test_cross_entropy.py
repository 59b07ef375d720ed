import pytest

from grader import assert_gradient, assert_matches

pytestmark = pytest.mark.exercise("cross_entropy")


@pytest.mark.points(1)
def test_other_sizes(student, oracle, draw):
    """is a mean for any number of samples, one included

    y holds the labels, each exactly 0 or 1, in y_pred's shape and dtype: (N, 1) or (N,).
    """
    for shape in ((9,), (1, 1), (1,), (4, 1)):
        y_pred, y = draw.uniform(*shape, low=0.02, high=0.98), draw.labels(*shape)
        right = oracle.cross_entropy(y_pred, y)
        assert_matches(student.cross_entropy(y_pred, y), right, any_shape=True)
    for label in (0.0, 1.0):
        y_pred = draw.uniform(3, 1, low=0.2, high=0.8)
        y = draw.labels(3, 1) * 0 + label
        right = oracle.cross_entropy(y_pred, y)
        assert_matches(student.cross_entropy(y_pred, y), right, any_shape=True)


@pytest.mark.points(1)
def test_other_gradients(student, oracle, draw):
    """has the right gradient for sure and unsure predictions

    Gradients must flow back to y_pred.
    """
    y_pred, y = draw.uniform(6, low=0.05, high=0.95), draw.labels(6)
    assert_gradient(student.cross_entropy, oracle.cross_entropy, y_pred, y, wrt=[0], any_shape=True)
