import pytest
import torch

from grader import assert_leaves_behind, assert_unchanged, computed, leaf

pytestmark = pytest.mark.exercise("leaves_of")


@pytest.mark.points(1)
def test_leaves(student, board):
    """gives the caller's own leaves behind a tensor, each once

    Returns a list, tuple or set of the leaves that requires_grad is set on and that output's graph
    leads to: the tensors themselves and no copies, each once, in any order.
    """
    p, q = leaf("p", torch.tensor([2.0, 5.0])), leaf("q", torch.tensor([3.0, 1.0]))
    unlike = computed("sum", computed("mul", computed("exp", p), computed("sin", q)))
    # Two leaves may hold the same number and are two all the same.
    alike = computed("add", leaf("r", torch.tensor([2.0])), leaf("s", torch.tensor([2.0])))
    for output in (board([1.0, 2.0, 3.0]), unlike, computed("mul", alike, 0.5)):
        record = student.observe.leaves_of(output)
        assert_leaves_behind(record, output)
        assert_unchanged(record)
