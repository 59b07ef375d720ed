import pytest

from grader import assert_float, assert_module_kept

pytestmark = pytest.mark.exercise("accuracy")


@pytest.mark.points(1)
def test_other_samples(student, network):
    """is right for other models, and where all samples are right or none is

    The share of samples that the model gets right: a Python float from 0 to 1.
    """
    weights, X, y, share = network.judged(13, hidden=7)
    model = network.model(weights)
    record = student.observe.accuracy(model, X, y)
    assert_float(record, share)
    assert_module_kept(record, model)
    right = (network.model(weights)(X) > 0).float()
    for labels, due in ((right, 1.0), (1 - right, 0.0)):
        assert_float(student.observe.accuracy(network.model(weights), X, labels), due)
