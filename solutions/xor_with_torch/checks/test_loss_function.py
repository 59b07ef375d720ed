import pytest
import torch

from grader import assert_callable, assert_matches

pytestmark = pytest.mark.exercise("loss_function")


@pytest.mark.points(1)
def test_large_logits(student, oracle, draw):
    """holds for other sizes and for large logits

    It also holds for large logits: for a logit of 150 and a label of 0 the loss is 150.
    """
    loss = assert_callable(student.observe.loss_function())
    z, y = draw.away_from(0, 4, 1, reach=8), draw.labels(4, 1)
    assert_matches(loss(z, y), oracle.loss_function()(z, y), any_shape=True)
    z = torch.tensor([[150.0], [-130.0], [2.0]])
    y = torch.tensor([[0.0], [1.0], [1.0]])
    assert_matches(loss(z, y), oracle.loss_function()(z, y), any_shape=True)
