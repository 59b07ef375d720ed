import pytest

from grader import assert_leaves_behind, assert_unchanged, computed, leaf

pytestmark = pytest.mark.exercise("leaves_of")


@pytest.mark.points(1)
def test_other_graphs(student, draw):
    """works for deeper graphs, and stops where the path was cut

    output was computed from leaves that require grad, from constants, or from both; it has a
    grad_fn.
    """
    p, q, r = (leaf(name, draw.normal(2, 2)) for name in "pqr")
    deep = computed("tanh", computed("matmul", p, computed("add", q, 1.0)))
    for _ in range(4):
        deep = computed("add", deep, computed("mul", deep, p))
    cut = computed("mul", computed("detach", computed("exp", r)), q)
    for output in (computed("sub", deep, computed("sin", r)), computed("add", cut, q)):
        record = student.observe.leaves_of(output)
        assert_leaves_behind(record, output)
        assert_unchanged(record)
    assert all(argument.after.grad is None for argument in record.arguments if argument.is_leaf), (
        "a gradient was left in a leaf"
    )
