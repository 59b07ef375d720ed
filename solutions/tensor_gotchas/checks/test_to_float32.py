import numpy as np
import pytest

from grader import assert_matches, assert_unchanged

pytestmark = pytest.mark.exercise("to_float32")


@pytest.mark.points(1)
def test_other_shapes(student, oracle, draw):
    """keeps other shapes, too

    array is a NumPy array of any shape; it holds float64, float32 or whole numbers.
    """
    arrays = [draw.normal(*shape).double().numpy() for shape in ((2, 3, 4), (1, 6), (6, 1), (7,))]
    for array in (*arrays, np.arange(8).reshape(4, 2)):
        record = student.observe.to_float32(array)
        assert_matches(record.returned, oracle.to_float32(array))
        assert_unchanged(record)
