"""Mistakes that show as an exception: by its structure and by what ran, less by its wording."""

from __future__ import annotations

import ast
import re

from grader.misconceptions.backward_errors import backward_errors
from grader.misconceptions.case import Case, Match
from grader.misconceptions.cuts import first_of_dtype
from grader.misconceptions.foreign import array_among_tensors, caret, number_without_graph
from grader.misconceptions.shapes import match_shapes
from grader.misconceptions.source import Place, dotted
from grader.misconceptions.unfilled import unfilled_gradient
from grader.observation import Observation, Operation, Raised

_DOUBLE = re.compile(r"\b(double|float64)\b", re.IGNORECASE)
_FLOAT = re.compile(r"\b(float|float32)\b", re.IGNORECASE)
_INTEGER = re.compile(r"\b(long|int|int64|integer)\b", re.IGNORECASE)
_MODULES = ("math", "np", "numpy", "cmath", "statistics")
_BUILTINS = ("max", "min", "sorted", "round")
OF_OWN_BACKWARD = ("numbers", "descent", "function")  # kinds that may call backward themselves


def match_raised(case: Case, call: Observation, in_backward: bool) -> Match | None:
    """The name of an exception out of the exercise's function, or None."""
    raised = call.backward_raised[-1] if in_backward and call.backward_raised else call.raised
    if raised is None:
        return None
    place = case.place_of(raised.frames[-1]) if raised.frames else case.whole_function()
    for test in (
        _context_manager, _tensor_method, number_without_graph, _no_gradient,
        _gradient_assignment, _leaf_in_place, _truth, backward_errors, _argument_in_place,
        _dtype_mixture, caret, array_among_tensors, _shapes, _number_function,
    ):  # fmt: skip
        match = test(case, call, raised, place)
        if match is not None:
            return match
    return None


def _text(case: Case, place: Place | None) -> str:
    return case.source.text(place)


def _context_manager(
    case: Case, call: Observation, raised: Raised, place: Place | None
) -> Match | None:
    # `with torch.no_grad:` asks a class for __enter__; nothing else on such a line does.
    if not {"TypeError", "AttributeError"} & set(raised.families):
        return None
    nodes = list(case.source.nodes_at(place))
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        if isinstance(node, (ast.Name, ast.Attribute)) and id(node) not in called:
            name = dotted(node)
            name = case.source.alias(name)
            if name.rsplit(".", 1)[-1] in ("no_grad", "enable_grad", "inference_mode"):
                account = f"`{name}` is used without being called, and Python raised {raised.type}"
                return Match("no-grad-not-called", account, {"raised": raised.type}, place)
    return None


def _tensor_method(
    case: Case, call: Observation, raised: Raised, place: Place | None
) -> Match | None:
    if raised.type != "AttributeError" or not raised.attribute:
        return None
    if raised.owner in ("Tensor", "Parameter"):
        account = f"a tensor was asked for `{raised.attribute}`, and Python raised {raised.type}"
        evidence = {"attribute": raised.attribute, "owner": raised.owner}
        return Match("no-such-tensor-method", account, evidence, place)
    return None


def _no_gradient(
    case: Case, call: Observation, raised: Raised, place: Place | None
) -> Match | None:
    """A `.grad` that was None was used: why it was None is what to name."""
    if raised.owner != "NoneType" and "NoneType" not in raised.message:
        return None
    if case.exercise.kind in OF_OWN_BACKWARD:
        return unfilled_gradient(case, call, raised, place)
    if case.exercise.kind not in ("update", "training"):
        return None
    trace = case.trace(call)
    if not any(op.name == "grad" for op in trace):
        return None
    evidence = {"raised": raised.type}
    made = [
        op
        for op in trace
        if op.name in ("sub", "rsub", "add") and not op.in_place and not op.grad_mode
        and any(given.requires_grad for given in op.inputs)
        and op.outputs and not op.outputs[0].requires_grad
    ]  # fmt: skip
    if made:
        account = "the step made a new tensor, and the .grad of that one is None"
        return Match("update-not-in-place", account, evidence, case.place_of(made[0]))
    if case.exercise.kind == "training" and not any(op.name == "backward" for op in trace):
        if not case.source.calls_anywhere("backward"):
            account = "every .grad is still None where this line wants to use it"
            return Match("backward-missing", account, evidence, place)
        account = "backward() has not run yet where this line uses .grad, so it is None"
        return Match("step-before-backward", account, evidence, place)
    asked = [op for op in trace if op.name == "grad" and op.inputs and not op.inputs[0].is_leaf]
    if asked:
        account = "this line reads .grad of a tensor that an operation made: its is_leaf is False"
        return Match("non-leaf-gradient", account, evidence, case.place_of(asked[-1]))
    return None


def _gradient_assignment(
    case: Case, call: Observation, raised: Raised, place: Place | None
) -> Match | None:
    if not {"TypeError", "RuntimeError"} & set(raised.families):
        return None
    assigns = any(
        isinstance(target, ast.Attribute) and target.attr == "grad"
        for node in case.source.nodes_at(place)
        if isinstance(node, ast.Assign)
        for target in node.targets
    )
    if assigns or "assigned grad" in raised.message:
        account = "PyTorch refuses what this line puts into .grad"
        return Match("gradient-replaced-by-number", account, {"raised": raised.type}, place)
    return None


def _leaf_in_place(
    case: Case, call: Observation, raised: Raised, place: Place | None
) -> Match | None:
    if raised.type != "RuntimeError" or "leaf" not in raised.message:
        return None
    if case.exercise.kind == "function":
        return _argument_in_place(case, call, raised, place)
    if case.exercise.kind in ("numbers", "descent"):
        last = _last_operation(case, call)
        if last is not None and last.name == "zero_":
            account = "this line sets the parameter itself to zero, not its gradient"
            return Match("parameter-zeroed", account, {"raised": raised.type}, place)
    if case.exercise.kind == "numbers":
        name = case.argument_name(0)
        account = f"this line writes into {name} itself, which belongs to the caller"
        return Match("argument-changed", account, {"argument": name}, place)
    if case.exercise.kind in ("update", "training", "descent"):
        account = "grad mode is on here, and PyTorch refuses to change a recorded leaf in place"
        return Match("update-tracked-by-autograd", account, {"raised": raised.type}, place)
    return None


def _truth(case: Case, call: Observation, raised: Raised, place: Place | None) -> Match | None:
    if "ambiguous" not in raised.message:
        return None
    called = case.source.calls_at(place) & set(_BUILTINS)
    if called:
        name = sorted(called)[0]
        account = (
            f"`{name}` compares its arguments, and for tensors that gives many answers, not one"
        )
        return Match("number-function-on-tensor", account, {"function": name}, place)
    account = "a tensor of several numbers is neither true nor false as a whole"
    return Match("truth-of-a-tensor", account, {"raised": raised.type}, place)


def _shapes(case: Case, call: Observation, raised: Raised, place: Place | None) -> Match | None:
    # Right for some shapes: then the shape is the mistake, however it makes itself felt.
    return match_shapes(case) if case.exercise.kind == "function" else None


def _number_function(
    case: Case, call: Observation, raised: Raised, place: Place | None
) -> Match | None:
    if not {"TypeError", "ValueError", "RuntimeError"} & set(raised.families):
        return None
    converted = _last_operation(case, call)
    wants_number = (
        "scalar" in raised.message.lower()
        or "only one element" in raised.message
        or "0-dim" in raised.message
        or "must be real number" in raised.message
    )
    wants_array = "numpy()" in raised.message or "__array__" in (
        converted.name if converted else ""
    )
    called = case.source.calls_at(place)
    outside = sorted(name for name in called if name.split(".")[0] in _MODULES)
    if wants_array:
        if any(name.endswith(".numpy") or name == "numpy" for name in called):
            account = (
                "`.numpy()` leaves the graph behind, and a tensor that requires grad refuses it"
            )
            return Match("graph-cut", account, {"raised": raised.type}, place)
        if outside:
            account = (
                f"`{outside[0]}` works on NumPy arrays; a tensor that requires grad refuses it"
            )
            return Match("number-function-on-tensor", account, {"function": outside[0]}, place)
        return None
    if wants_number and (outside or not called & {"backward"}):
        name = f"`{outside[0]}`" if outside else "a function on this line"
        account = f"{name} takes one number, and it was given a whole tensor"
        evidence = {"function": outside[0]} if outside else {}
        return Match("number-function-on-tensor", account, evidence, place)
    return None


def _dtype_mixture(
    case: Case, call: Observation, raised: Raised, place: Place | None
) -> Match | None:
    if raised.type != "RuntimeError" and raised.type != "TypeError":
        return None
    text = raised.message
    if "floating point" in text and "require" in text:
        account = "whole numbers cannot require grad: only floating-point tensors have gradients"
        return Match("integer-tensors", account, {"raised": raised.type}, place)
    if not any(word in text for word in ("dtype", "scalar type", "Double", "be cast", "Long")):
        return None
    if _DOUBLE.search(text) and _FLOAT.search(text):
        origin = first_of_dtype(case, call, "float64")
        account = "float64 met float32 in one operation"
        return Match("float64-mixing", account, {"raised": raised.type}, origin or place)
    if _INTEGER.search(text) and _FLOAT.search(text):
        account = "whole numbers met floats in one operation"
        origin = first_of_dtype(case, call, "int")
        return Match("integer-tensors", account, {"raised": raised.type}, origin or place)
    return None


def _argument_in_place(
    case: Case, call: Observation, raised: Raised, place: Place | None
) -> Match | None:
    if raised.type != "RuntimeError" or case.exercise.kind != "function":
        return None
    if "leaf" not in raised.message and "inplace" not in raised.message:
        return None
    case.student.begin(f"plain {case.exercise.name}")
    plain = [a.detach().float() if hasattr(a, "detach") else a for a in call.args]
    record = case.student.run(case.exercise.name, plain)
    for index, argument in enumerate(record.arguments):
        if argument.changed:
            name = case.argument_name(index)
            account = f"the call writes into {name} itself, which belongs to the caller"
            return Match("argument-changed", account, {"argument": name}, place)
    return None


def _last_operation(case: Case, call: Observation) -> Operation | None:
    trace = case.trace(call)
    return trace[-1] if trace else None
