import pytest

from grader import assert_gradient, assert_matches, assert_unchanged

pytestmark = pytest.mark.exercise("predict")


@pytest.mark.points(1)
def test_other_sizes(student, oracle, draw, parameter):
    """works for other sizes, and lets gradients flow back there too

    Gradients must flow back to W; X and W themselves stay as they were.
    """
    for n, k, m in ((1, 4, 1), (6, 2, 3)):
        X, W = draw.normal(n, k).double(), parameter(draw.normal(k, m))
        record = student.observe.predict(X, W)
        assert_matches(record.returned, oracle.predict(X, W))
        assert_unchanged(record)
    assert_gradient(student.predict, oracle.predict, X, W, wrt=[1], double=False)
