import pytest

from grader import assert_float, assert_module_kept, fail, first_on_graph

pytestmark = pytest.mark.exercise("accuracy")


@pytest.mark.points(1)
def test_share(student, network):
    """is the share of samples on the right side

    A sample counts as a 1 where the logistic of its logit is above 0.5, else as a 0.
    """
    weights, X, y, share = network.judged(11)
    model = network.model(weights)
    record = student.observe.accuracy(model, X, y)
    assert_float(record, share)
    assert_module_kept(record, model)


@pytest.mark.points(1)
def test_off_the_graph(student, network):
    """asks the model without recording anything

    Nothing is recorded for a backward(): the model runs while recording is off, or its output is
    detached.
    """
    weights, X, y, _ = network.judged(9)
    model = network.model(weights)
    record = student.observe.accuracy(model, X, y)
    if any(one.tracked for one in record.module(model).passes):
        traced = student.run("accuracy", [model, X, y], trace=True)
        call = first_on_graph(record, traced, model)
        if call is not None:
            fail(
                "grad mode was on as the model ran, and its output went on with its graph",
                bug="graph-in-accuracy",
                evidence={"file": call.filename, "line": call.line},
                record=record,
            )
