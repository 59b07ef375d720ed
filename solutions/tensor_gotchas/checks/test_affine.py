import pytest

from grader import assert_gradient, assert_matches, assert_unchanged

pytestmark = pytest.mark.exercise("affine")


@pytest.mark.points(1)
def test_other_sizes(student, oracle, draw, parameter):
    """works for other numbers of samples and of columns

    w has shape (k, 1) and b has shape (1,); everything is float32.
    """
    for n, k in ((4, 3), (3, 5), (2, 1)):
        w, b = parameter(draw.away_from(0, k, 1)), parameter(draw.away_from(0, 1))
        for X in (draw.normal(n, k), draw.normal(1, k), draw.normal(k)):
            record = student.observe.affine(X, w, b)
            assert_matches(record.returned, oracle.affine(X, w, b))
            assert_unchanged(record)
    x = draw.normal(1)
    assert_gradient(student.affine, oracle.affine, x, w, b, wrt=[1, 2], double=False)
