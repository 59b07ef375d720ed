import pytest

from grader import assert_gradient, assert_matches, assert_module, assert_parameters

pytestmark = pytest.mark.exercise("make_model")


@pytest.mark.points(1)
def test_layers(student, network, by_hand):
    """computes two linear layers with relu between them, and no logistic after

    A linear layer, relu and a linear layer: an nn.Sequential of three, or a class of your own.
    """
    record = student.observe.make_model(5)
    model = assert_module(record)
    names = assert_parameters(record, model, network.shapes(5))
    weights, X = network.given(5, 6)
    model.set_parameters(weights_of(record.module(model), names, weights))
    assert_matches(model(X), by_hand(X, *weights))


@pytest.mark.points(1)
def test_gradients(student, network, by_hand):
    """lets gradients flow back to every parameter

    Called with a batch (N, 2), the model returns (N, 1), and gradients flow back to every
    parameter.
    """
    record = student.observe.make_model(4)
    model = assert_module(record)
    names = assert_parameters(record, model, network.shapes(4))
    weights, X = network.given(4, 5, gap=0.05)

    def called(W1, b1, W2, b2):
        given = dict(zip(names, (W1.T, b1, W2.T, b2), strict=True))
        return model.with_parameters(given, X.to(W1.dtype))

    def right(W1, b1, W2, b2):
        return by_hand(X.to(W1.dtype), W1, b1, W2, b2)

    assert_gradient(called, right, *weights)


def weights_of(seen, names, weights):
    """By-hand weights in the order of the model's own parameters."""
    W1, b1, W2, b2 = weights
    given = dict(zip(names, (W1.T, b1, W2.T, b2), strict=True))
    return [given[name] for name in seen.names]
