import pytest

from grader import assert_gradient, assert_matches, assert_unchanged

pytestmark = pytest.mark.exercise("forward")


@pytest.mark.points(1)
def test_batch_and_sample(student, oracle, network):
    """gives (N, 1) for a batch and one value for a sample

    X is one sample, (2,) or (1, 2), or a batch, (N, 2).
    """
    params = network.parameters(5)
    X, _ = network.samples(7, params)
    record = student.observe.forward(X, *params)
    assert_matches(record.returned, oracle.forward(X, *params))
    assert_unchanged(record)
    for x in (X[0:1], X[1]):
        record = student.observe.forward(x, *params)
        assert_matches(record.returned, oracle.forward(x, *params), any_shape=True)
        assert_unchanged(record)


@pytest.mark.points(1)
def test_gradient(student, oracle, network):
    """lets gradients flow back to every parameter

    Gradients must flow back to W1, b1, W2 and b2.
    """
    params = network.parameters(4)
    X, _ = network.samples(6, params, gap=0.05)
    assert_gradient(student.forward, oracle.forward, X, *params, wrt=[1, 2, 3, 4])
