import pytest

from grader import assert_matches, assert_module, assert_parameters, assert_unchanged

pytestmark = pytest.mark.exercise("to_library")


@pytest.mark.points(1)
def test_other_sizes(student, network, by_hand, close):
    """works for any number of hidden units

    W1 is (2, hidden), b1 (hidden,), W2 (hidden, 1) and b2 (1,); all are float32, and they may
    require grad.
    """
    for hidden in (20, 3):
        weights = network.weights(hidden)
        X, _ = network.samples(4, weights, gap=0.002)
        record = student.observe.to_library(*weights)
        model = assert_module(record)
        assert_matches(model(X), by_hand(X, *weights), tolerance=close)
        assert_unchanged(record)


@pytest.mark.points(1)
def test_trainable(student, network, by_hand, close):
    """returns a model whose parameters require grad

    The model can be trained: its parameters require grad.
    """
    weights, X = network.given(6, 3)
    record = student.observe.to_library(*weights)
    model = assert_module(record)
    assert_parameters(record, model, network.shapes(6))
    assert_matches(model(X), by_hand(X, *weights), tolerance=close)
