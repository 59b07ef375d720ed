import pytest

from grader import assert_gradient, assert_matches

pytestmark = pytest.mark.exercise("logistic")


@pytest.mark.points(1)
def test_other_shapes(student, oracle, draw):
    """works on tensors of any shape

    x is a tensor of floats, of any shape.
    """
    for shape in ((), (1, 3), (2, 3, 4)):
        x = draw.away_from(0, *shape, reach=15)
        assert_matches(student.logistic(x), oracle.logistic(x))
    assert_gradient(student.logistic, oracle.logistic, draw.away_from(0, 2, 3, 2, reach=8))
