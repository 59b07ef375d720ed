import pytest
import torch

from grader import assert_module, assert_parameters, fail

pytestmark = pytest.mark.exercise("make_model")


@pytest.mark.points(1)
def test_other_sizes(student, network, by_hand):
    """has as many hidden units as are asked for, 20 if none are, and units that differ

    Each is float32 and requires grad, and no two hidden units start alike.
    """
    for sizes, hidden in (((7,), 7), ((), 20)):
        record = student.observe.make_model(*sizes)
        model = assert_module(record)
        names = assert_parameters(record, model, network.shapes(hidden))
        values = model.parameters()
        first, bias, last, _ = (values[name] for name in names)
        units = torch.cat([first, bias.reshape(-1, 1), last.T], dim=1)
        gaps = torch.cdist(units, units) + torch.eye(hidden) * 1e9
        # Two that differ in their outgoing weight alone part as they train.
        if float(gaps.min()) < 1e-6:
            one, other = divmod(int(gaps.argmin()), hidden)
            fail(
                f"hidden units {one} and {other} start the same",
                bug="symmetric-initialization",
                evidence={"first": one, "second": other, "unit": units[one].tolist()},
                record=record,
            )


@pytest.mark.points(1)
def test_new_each_time(student, network, by_hand):
    """makes a new model each time

    Each call of make_model gives a new model that shares nothing with those before it.
    """
    record = student.observe.make_model(6)
    model = assert_module(record)
    assert_parameters(record, model, network.shapes(6))
    second = assert_module(student.observe.make_model(6))
    second.set_parameters([p * 0 + 9 for p in second.parameters().values()])
    if any(bool((p == 9).all()) for p in model.parameters().values()):
        fail(
            "what was written into the second model stands in the first as well",
            bug="model-shared-between-calls",
            record=record,
        )
