import pytest

from grader import assert_gradient, assert_matches, assert_unchanged

pytestmark = pytest.mark.exercise("relu")


@pytest.mark.points(1)
def test_values(student, oracle, draw):
    """keeps what is positive and turns the rest into zero

    Returns a new tensor of x's shape and dtype; x itself stays as it was.
    """
    for x in (draw.away_from(0, 5, 4, reach=9), draw.away_from(0, 6)):
        record = student.observe.relu(x)
        assert_matches(record.returned, oracle.relu(x))
        assert_unchanged(record)


@pytest.mark.points(1)
def test_gradient(student, oracle, draw):
    """lets the gradient through where x is positive, and only there

    Gradients must flow back to x.
    """
    assert_gradient(student.relu, oracle.relu, draw.away_from(0, 4, 3))
