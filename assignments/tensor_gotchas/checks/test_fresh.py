import pytest

from grader import assert_numbers, assert_unchanged

pytestmark = pytest.mark.exercise("fresh")


@pytest.mark.points(1)
def test_alone(student, parameter):
    """gives each pass's own gradient

    Returns a list of `steps` Python floats, one a pass, none of which contains an earlier one.
    """
    for w, steps in ((3.0, 3), (-1.25, 4)):
        record = student.observe.fresh(parameter(w), steps)
        assert_numbers(record, [2 * w] * steps)
        assert_unchanged(record)
