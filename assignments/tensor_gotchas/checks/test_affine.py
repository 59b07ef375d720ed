import pytest

from grader import assert_gradient, assert_matches, assert_unchanged

pytestmark = pytest.mark.exercise("affine")


@pytest.mark.points(1)
def test_shapes(student, oracle, draw, parameter):
    """gives the right shape and values for one sample and for many

    X of shape (k,) gives shape (1,), (1, k) gives (1, 1), and (n, k) gives (n, 1).
    """
    w, b = parameter(draw.away_from(0, 2, 1)), parameter(draw.away_from(0, 1))
    for shape in ((100, 2), (1, 2), (2,)):
        X = draw.normal(*shape)
        record = student.observe.affine(X, w, b)
        assert_matches(record.returned, oracle.affine(X, w, b))
        assert_unchanged(record)
    w = parameter(draw.away_from(0, 3, 1))
    assert_gradient(
        student.affine, oracle.affine, draw.normal(5, 3), w, b, wrt=[1, 2], double=False
    )
