import pytest

from grader import assert_callable, assert_gradient, assert_matches

pytestmark = pytest.mark.exercise("loss_function")


@pytest.mark.points(1)
def test_values(student, oracle, draw):
    """gives a loss on logits, the mean over the samples

    That gives the mean over the samples, a tensor with one element.
    """
    loss = assert_callable(student.observe.loss_function())
    for count in (7, 1):
        z, y = draw.away_from(0, count, 1, reach=4), draw.labels(count, 1)
        assert_matches(loss(z, y), oracle.loss_function()(z, y), any_shape=True)


@pytest.mark.points(1)
def test_gradient(student, oracle, draw):
    """lets gradients flow back to the logits

    Gradients flow back to the logits. It also holds for large logits
    """
    loss = assert_callable(student.observe.loss_function())
    z, y = draw.away_from(0, 5, 1), draw.labels(5, 1)

    def given(logits):
        return loss(logits, y.to(logits.dtype))

    def right(logits):
        return oracle.loss_function()(logits, y.to(logits.dtype))

    assert_gradient(given, right, z, any_shape=True)
