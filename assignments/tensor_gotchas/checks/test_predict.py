import pytest

from grader import assert_gradient, assert_matches, assert_unchanged

pytestmark = pytest.mark.exercise("predict")


@pytest.mark.points(1)
def test_product(student, oracle, draw, parameter):
    """multiplies in float32, and lets gradients flow back to W

    X is what gets converted, not W: the result is float32, of shape (n, m).
    """
    X, W = draw.normal(5, 3).double(), parameter(draw.normal(3, 2))
    record = student.observe.predict(X, W)
    assert_matches(record.returned, oracle.predict(X, W))
    assert_unchanged(record)
    assert_gradient(student.predict, oracle.predict, X, W, wrt=[1], double=False)
