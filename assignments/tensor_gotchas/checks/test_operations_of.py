import pytest
import torch

from grader import assert_operations_behind, assert_unchanged, computed, leaf

pytestmark = pytest.mark.exercise("operations_of")


@pytest.mark.points(1)
def test_names(student, board):
    """gives the operations behind a tensor, each once, by their names

    Returns a list, tuple or set of strings, each name once, in any order.
    """
    p, q = leaf("p", torch.tensor([2.0, 5.0])), leaf("q", torch.tensor([3.0, 1.0]))
    inner = computed("mul", computed("exp", computed("sin", p)), computed("log2", q))
    for output in (computed("mul", inner, 0.5), board([1.0, 2.0, 3.0])):
        record = student.observe.operations_of(output)
        assert_operations_behind(record, output)
        assert_unchanged(record)
