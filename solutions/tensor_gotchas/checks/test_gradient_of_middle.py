import pytest

from grader import assert_matches, assert_unchanged

pytestmark = pytest.mark.exercise("gradient_of_middle")


@pytest.mark.points(1)
def test_other_shapes(student, draw, parameter):
    """works for other shapes, a single number included

    x is a float32 leaf that requires grad, of any shape.
    """
    for shape in ((), (1,), (3, 2, 2)):
        x = parameter(draw.away_from(0, *shape))
        record = student.observe.gradient_of_middle(x)
        assert_matches(record.returned, 2 * x.detach() ** 2)
        assert_unchanged(record)
