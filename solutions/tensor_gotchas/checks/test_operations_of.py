import pytest

from grader import assert_operations_behind, assert_unchanged, computed, leaf

pytestmark = pytest.mark.exercise("operations_of")


@pytest.mark.points(1)
def test_other_graphs(student, draw):
    """works for deeper graphs, and for names with other digits in them

    A name is what the node's name() says, without the digit at its end: "MulBackward" for
    MulBackward0. Nodes that only collect a leaf's gradient (AccumulateGrad) are left out.
    """
    p, q = leaf("p", draw.uniform(3, low=1.0, high=2.0)), leaf("q", draw.uniform(3, low=1.0))
    logs = computed("sub", computed("log2", p), computed("log1p", q))
    deep = logs
    for _ in range(4):
        deep = computed("add", deep, computed("sin", deep))
    for output in (computed("pow", deep, 2), computed("neg", computed("log2", p))):
        record = student.observe.operations_of(output)
        assert_operations_behind(record, output)
        assert_unchanged(record)
