"""Exceptions about modules, optimizers and losses of the library, by where they were raised."""

from __future__ import annotations

import re
from collections.abc import Callable

from grader.misconceptions.case import Case, Match
from grader.misconceptions.followed import follow
from grader.misconceptions.source import Place
from grader.observation import Observation, Raised

# A layer's name begins with a capital, a plain type's does not.
_NOT_A_TENSOR = re.compile(r"must be Tensor, not ((?!NoneType)[A-Z]\w+)$")
# Where the library's own classes look for what they do not have.
_OPTIMIZERS = frozenset(
    {"SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam", "ASGD"}
)


def match_module_raised(case: Case, call: Observation, raised: Raised | None) -> Match | None:
    """The name of an exception that using a library piece the wrong way raises, or None."""
    if raised is None:
        return None
    place = case.place_of(raised.frames[-1]) if raised.frames else case.whole_function()
    known = _stepped_between(case, raised) or _untracked(case, call, raised)
    if known is not None:
        return known
    for test in _TESTS:
        found = test(raised, case.source.text(place))
        if found is not None:
            slug, account = found
            return Match(slug, account, {"raised": raised.type}, place)
    return None


def _stepped_between(case: Case, raised: Raised) -> Match | None:
    """The parameters were moved after the model's call and before backward() went back through."""
    if case.exercise.kind != "training" or "by an inplace operation" not in raised.message:
        return None
    loop = follow(case)
    last = loop.stretches[-1] if loop is not None and loop.stretches else None
    if last is None or last.arrived or not last.steps:
        return None
    step = last.steps[0]
    account = "this step comes between the call of the model and backward()"
    evidence = {"raised": raised.type}
    return Match("step-before-backward", account, evidence, Place(step.filename, step.line))


def _untracked(case: Case, call: Observation, raised: Raised) -> Match | None:
    """A call switched off that the model's parameters require grad."""
    lost = [name for seen in call.modules for name in seen.untracked]
    if not lost or "does not require grad" not in raised.message:
        return None
    account = f"{lost[0]}.requires_grad was True before the call, and is False here"
    return Match("parameter-no-longer-tracked", account, {"parameters": lost}, case.deepest(call))


Found = tuple[str, str] | None


def _no_layer(raised: Raised, line: str) -> Found:
    made = _NOT_A_TENSOR.search(raised.message)
    if raised.type == "TypeError" and made is not None:
        account = f"an object of `{made[1]}` was made where it should have been called on a tensor"
        return "no-layer-in-model", account
    if raised.type == "TypeError" and "is not a Module subclass" in raised.message:
        what = raised.message.split(" is not a Module")[0].strip()[-60:]
        return "no-layer-in-model", f"`{what}` stands where a layer is due"
    return None


def _no_parent(raised: Raised, line: str) -> Found:
    early = "before Module.__init__() call" in raised.message
    if raised.type == "AttributeError" and early:
        return "parent-not-initialised", "a layer is assigned before the parent class is set up"
    return None


def _no_forward(raised: Raised, line: str) -> Found:
    if raised.type == "NotImplementedError" and raised.library_function == "_forward_unimplemented":
        return "forward-missing", "the model was called, and its class defines no `forward`"
    return None


def _plain_as_parameter(raised: Raised, line: str) -> Found:
    refused = raised.message.startswith("cannot assign") and "as parameter" in raised.message
    if raised.type == "TypeError" and refused:
        return "tensor-assigned-as-parameter", "a plain tensor is assigned to a layer's parameter"
    return None


def _no_parameters_given(raised: Raised, line: str) -> Found:
    if raised.type != "TypeError":
        return None
    text = raised.message
    method = "'method' object is not iterable" in text and "parameters" in line
    other = (
        "params argument given to the optimizer" in text
        or "optimizer can only optimize Tensors" in text
    )
    iterated = raised.library_function == "__init__" and "is not iterable" in text
    if method or other or iterated:
        return "optimizer-not-given-parameters", "the optimizer was given something else"
    return None


def _copies_given(raised: Raised, line: str) -> Found:
    if raised.type == "ValueError" and "optimize a non-leaf" in raised.message:
        account = "the optimizer was given tensors that were computed from the parameters"
        return "optimizer-on-other-parameters", account
    return None


def _empty_list_given(raised: Raised, line: str) -> Found:
    if raised.type == "ValueError" and "empty parameter list" in raised.message:
        return "optimizer-not-given-parameters", "the optimizer was given no parameter at all"
    return None


def _labels_of_other_shape(raised: Raised, line: str) -> Found:
    if raised.type == "ValueError" and "arget size" in raised.message and "input" in raised.message:
        return "label-shape-differs", "the loss got outputs and labels of different shapes"
    return None


def _not_probabilities(raised: Raised, line: str) -> Found:
    if raised.type == "RuntimeError" and "between 0 and 1" in raised.message:
        account = "a loss for probabilities met numbers below 0 or above 1"
        return "loss-for-probabilities", account
    return None


def _no_backward(raised: Raised, line: str) -> Found:
    if raised.type != "AttributeError" or raised.attribute != "backward":
        return None
    if raised.owner in ("float", "int"):
        return "graph-cut", "backward() was asked of a plain number, which has no history"
    if raised.owner.endswith("Loss"):
        return "backward-on-loss-object", f"backward() was asked of a `{raised.owner}` object"
    return None


def _recorded_leaf(raised: Raised, line: str) -> Found:
    if raised.type == "RuntimeError" and "a leaf Variable that requires grad" in raised.message:
        account = "grad mode is on here, and PyTorch refuses to change a recorded leaf in place"
        return "update-tracked-by-autograd", account
    return None


def _no_such_method(raised: Raised, line: str) -> Found:
    if raised.type != "AttributeError":
        return None
    owner, name = raised.owner, raised.attribute
    if owner in _OPTIMIZERS:
        return "no-such-optimizer-method", f"an optimizer was asked for `{name}`"
    if not name and "object has no attribute" in raised.message:
        owner, _, name = raised.message.partition(" object has no attribute ")
        owner, name = owner.strip("'\" "), name.strip("'\" .")
    if owner in ("Sequential", "Linear") and name in ("step", "backward", "zero_grads", "params"):
        return "no-such-model-method", f"a model was asked for `{name}`"
    return None


_TESTS: tuple[Callable[[Raised, str], Found], ...] = (
    _no_layer, _no_parent, _no_forward, _plain_as_parameter, _no_parameters_given, _copies_given,
    _empty_list_given, _labels_of_other_shape, _not_probabilities, _no_backward, _recorded_leaf,
    _no_such_method,
)  # fmt: skip
