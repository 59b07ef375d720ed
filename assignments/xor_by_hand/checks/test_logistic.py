import pytest

from grader import assert_gradient, assert_matches, assert_unchanged

pytestmark = pytest.mark.exercise("logistic")


@pytest.mark.points(1)
def test_values(student, oracle, draw):
    """squeezes each number into the range from 0 to 1

    Returns a new tensor of x's shape and dtype; x itself stays as it was.
    """
    for x in (draw.away_from(0, 5, 4, reach=6), draw.normal(6)):
        record = student.observe.logistic(x)
        assert_matches(record.returned, oracle.logistic(x))
        assert_unchanged(record)


@pytest.mark.points(1)
def test_gradient(student, oracle, draw):
    """has the right slope

    Gradients must flow back to x.
    """
    assert_gradient(student.logistic, oracle.logistic, draw.away_from(0, 4, 3))
