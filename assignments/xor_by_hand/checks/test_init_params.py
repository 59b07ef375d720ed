import pytest

from grader import assert_leaves

pytestmark = pytest.mark.exercise("init_params")


@pytest.mark.points(1)
def test_leaves(student):
    """gives four float32 leaves that require grad, in the right shapes

    Each is a float32 leaf that requires grad, and no two share memory.
    """
    hidden = 6
    record = student.observe.init_params(hidden)
    assert_leaves(
        record,
        [
            [(2, hidden)],
            [(hidden,), (1, hidden)],
            [(hidden, 1)],
            [(1,), (1, 1), ()],
        ],
    )
