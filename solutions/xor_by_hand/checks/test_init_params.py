import pytest
import torch

from grader import fail

pytestmark = pytest.mark.exercise("init_params")


@pytest.mark.points(1)
def test_units_differ(student, oracle, draw, fresh):
    """hidden units differ, and still do after some training

    Hidden units must differ from one another, and must still differ after training steps.
    """
    hidden = 7
    params = student.init_params(hidden)
    if not is_network(params, hidden):
        fail("these are no four tensors of a network's shapes, so no unit can be looked at")
    params = [p.detach().float() for p in params]
    assert_units_differ(params, outgoing=True)
    X = draw.uniform(12, 2)
    Y = ((X > 0.5).sum(dim=1, keepdim=True) == 1).float()
    trained = fresh(params)
    oracle.train(trained, X, Y, 1, 0.5)
    finite = all(bool(torch.isfinite(p).all()) for p in trained)
    assert finite, "training from here gives no numbers"
    assert_units_differ(trained, outgoing=False)


def assert_units_differ(params, outgoing):
    """No two hidden units carry the same numbers: incoming weights, bias, outgoing weight."""
    W1, b1, W2, _ = (p.detach().float() for p in params)
    rows = [W1, b1.reshape(1, -1)] + ([W2.T] if outgoing else [])
    units = torch.cat(rows).T
    gaps = torch.cdist(units, units) + torch.eye(len(units)) * 1e9
    if float(gaps.min()) < 1e-5:
        first, second = divmod(int(gaps.argmin()), len(units))
        when = "from the start" if outgoing else "after twelve training steps"
        fail(
            f"hidden units {first} and {second} are the same {when}",
            bug="symmetric-initialization",
            evidence={"first": first, "second": second, "unit": units[first].tolist()},
        )


def is_network(params, hidden):
    if not isinstance(params, (list, tuple)) or len(params) != 4:
        return False
    if not all(isinstance(p, torch.Tensor) for p in params):
        return False
    W1, b1, W2, b2 = params
    shapes = W1.shape == (2, hidden) and W2.shape == (hidden, 1)
    return shapes and b1.shape in ((hidden,), (1, hidden)) and b2.numel() == 1
