import pytest

from grader import assert_matches, assert_module, assert_parameters, assert_unchanged, fail

pytestmark = pytest.mark.exercise("to_library")


@pytest.mark.points(1)
def test_same_logits(student, network, by_hand, close):
    """returns a model that gives the by-hand network's logits

    By hand the logits of a batch X were relu(X @ W1 + b1) @ W2 + b2, and for the same X the model
    returns the same logits, (N, 1), within 1e-6.
    """
    weights, X = network.given(5, 6)
    weights = [w.requires_grad_() for w in weights]
    record = student.observe.to_library(*weights)
    model = assert_module(record)
    assert_parameters(record, model, network.shapes(5))
    assert_matches(model(X), by_hand(X, *weights).detach(), tolerance=close)
    assert_unchanged(record)


@pytest.mark.points(1)
def test_own_copies(student, network, by_hand, close):
    """gives the model copies of its own

    The model has copies of its own: what later happens to W1, b1, W2 and b2 changes nothing in it.
    """
    weights, X = network.given(4, 5)
    others = network.weights(4)
    record = student.observe.to_library(*weights)
    model = assert_module(record)
    assert_matches(model(X), by_hand(X, *weights), tolerance=close)
    before = model.parameters()
    # The same tensors again, with other numbers in them.
    again = student.observe.again(record).to_library(*others)
    after = model.parameters()
    shared = [name for name in before if not bool((before[name] == after[name]).all())]
    if shared:
        where = f"{shared[0]}[{', '.join('0' * before[shared[0]].dim())}]"
        fail(
            f"other numbers were written into W1, b1, W2 and b2, and the model's {where} went from "
            f"{first(before[shared[0]])} to {first(after[shared[0]])} with them",
            bug="weights-shared-with-caller",
            evidence={"shared": shared},
            record=record,
        )
    assert_matches(assert_module(again)(X), by_hand(X, *others), tolerance=close)


def first(tensor):
    return f"{float(tensor.reshape(-1)[0]):.4g}"
