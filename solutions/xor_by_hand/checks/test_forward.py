import pytest

from grader import assert_gradient, assert_matches

pytestmark = pytest.mark.exercise("forward")


@pytest.mark.points(1)
def test_other_sizes(student, oracle, network, draw):
    """works for other widths and for biases of the other shapes

    W1 is (2, hidden), b1 is (hidden,) or (1, hidden).
    """
    for hidden, count, b1, b2 in ((20, 3, (1, 20), (1, 1)), (3, 9, (3,), ()), (1, 4, (1,), (1,))):
        params = network.parameters(hidden, b1, b2)
        X, _ = network.samples(count, params, gap=0.001)
        assert_matches(student.forward(X, *params), oracle.forward(X, *params))
        x = X[:1]
        assert_matches(student.forward(x, *params), oracle.forward(x, *params), any_shape=True)


@pytest.mark.points(1)
def test_other_gradients(student, oracle, network):
    """lets gradients flow back from a single sample too

    Gradients must flow back to W1, b1, W2 and b2.
    """
    params = network.parameters(6)
    X, _ = network.samples(1, params, gap=0.05)
    assert_gradient(
        student.forward, oracle.forward, X, *params, wrt=[1, 2, 3, 4], any_shape=True
    )
