import numpy as np
import pytest

from grader import assert_data, assert_matches, assert_own_memory, assert_unchanged

pytestmark = pytest.mark.exercise("to_float32")


@pytest.mark.points(1)
def test_values(student, oracle, draw):
    """gives a float32 tensor of the array's shape and values

    Returns a float32 tensor of the array's shape and values, which does not require grad.
    """
    for array in (draw.normal(4, 3).double().numpy() * 5, np.array([3, -1, 12])):
        record = student.observe.to_float32(array)
        assert_matches(record.returned, oracle.to_float32(array))
        assert_data(record)
        assert_unchanged(record)


@pytest.mark.points(1)
def test_memory(student, oracle, draw):
    """gives the tensor memory of its own, whatever the array holds

    It has memory of its own: whoever changes the array later does not change the tensor.
    """
    for array in (draw.normal(5).numpy(), draw.normal(5).double().numpy()):
        record = student.observe.to_float32(array)
        assert_matches(record.returned, oracle.to_float32(array))
        assert_own_memory(record)
