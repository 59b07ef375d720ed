"""A `.grad` that was None when it was used: why it was, where a function calls backward itself."""

from __future__ import annotations

from collections.abc import Sequence

from grader.misconceptions.case import Case, Match
from grader.misconceptions.cuts import NO_CUTS
from grader.misconceptions.source import Place
from grader.observation import Observation, Operation, Raised

FORCES = ("tensor", "as_tensor", "requires_grad_", "requires_grad=", "Parameter")
STEPS = ("sub", "rsub", "add", "subtract", "addcmul")


def unfilled_gradient(
    case: Case, call: Observation, raised: Raised, place: Place | None
) -> Match | None:
    """The name of an error about a None that was read from a `.grad`, or None."""
    trace = case.trace(call)
    reads = [op for op in trace if op.name == "grad" and len(op.inputs) == 1]
    if not reads:
        return None
    evidence = {"raised": raised.type}
    made = new_parameter(trace)
    if made is not None and case.exercise.kind == "descent":
        account = "the step made a new tensor, and the .grad of that one is None"
        return Match("update-not-in-place", account, evidence, case.place_of(made))
    if not any(op.name == "backward" for op in trace):
        return _before_backward(case, raised, evidence, place)
    computed = [op for op in reads if not op.inputs[0].is_leaf]
    if computed:
        account = "this line reads .grad of a tensor that an operation made: its is_leaf is False"
        return Match("non-leaf-gradient", account, evidence, case.place_of(computed[-1]))
    forced = forced_leaf(trace)
    if forced is not None:
        account = "backward() ran on a tensor that was made anew: no path leads from it any further"
        return Match("requires-grad-forced", account, evidence, case.place_of(forced))
    cut = _cut_before_backward(trace)
    if cut is not None:
        account = "backward() has run, and on the way to this tensor its path was cut"
        return Match("graph-cut", account, evidence, case.place_of(cut))
    if any(op.name == "grad=" for op in trace):
        account = "this line uses .grad after it was set to None"
        return Match("gradient-still-none", account, evidence, place)
    return None


def walks_back(operation: Operation) -> bool:
    """backward(), or torch.autograd.grad: it takes more than the tensor whose .grad is read."""
    return operation.name == "backward" or (operation.name == "grad" and len(operation.inputs) > 1)


def empty_gradient(case: Case, call: Observation) -> Match | None:
    """What came back is None, and it is a .grad that nothing filled."""
    trace = case.trace(call)
    last = next((op for op in reversed(trace) if op.name == "grad"), None)
    if last is None or last.outputs or len(last.inputs) != 1:
        return None
    if not case.source.returns_attribute(case.exercise.name, "grad"):
        return None
    if not any(walks_back(op) for op in trace):
        account = "None comes back: no backward() has run, so that nothing has filled this .grad"
        ran = case.source.calls_within(case.exercise.name, "backward")
        slug = "gradient-still-none" if ran else "backward-missing"
        return Match(slug, account, {}, case.place_of(last))
    if last.inputs[0].is_leaf:
        cut = forced_leaf(trace)
        if cut is None:
            return None
        account = "None comes back: the .grad of a tensor to which no path of backward() leads"
        return Match("graph-cut", account, {"is_leaf": True}, case.place_of(cut))
    account = (
        "None comes back: it is .grad of a tensor that an operation made, whose is_leaf is False"
    )
    return Match("non-leaf-gradient", account, {"is_leaf": False}, case.place_of(last))


def _cut_before_backward(trace: Sequence[Operation]) -> Operation | None:
    """The first operation that took a history and gave none on, in what backward() walked."""
    for operation in trace:
        if operation.name == "backward":
            return None
        took = any(given.requires_grad for given in operation.inputs)
        gave = any(out.requires_grad for out in operation.outputs)
        ended = operation.outputs or operation.kind in ("float", "int", "ndarray", "list")
        if took and ended and not gave and operation.name not in NO_CUTS:
            return operation
    return None


def forced_leaf(trace: Sequence[Operation]) -> Operation | None:
    """What made a leaf that requires grad, after a computed tensor had lost its history."""
    lost = False
    for operation in trace:
        computed = any(given.requires_grad and not given.is_leaf for given in operation.inputs)
        made = [out for out in operation.outputs if out.is_leaf and out.requires_grad]
        if operation.name in FORCES and made and (lost or computed):
            return operation
        ended = not any(out.requires_grad for out in operation.outputs)
        lost = lost or (computed and ended and operation.name not in ("backward", "grad"))
    return None


def new_parameter(trace: Sequence[Operation]) -> Operation | None:
    """A step that made a new tensor of a leaf, after a gradient was read."""
    read = False
    for operation in trace:
        read = read or operation.name == "grad"
        leaves = [given for given in operation.inputs if given.is_leaf and given.requires_grad]
        made = operation.outputs and not operation.in_place
        if read and made and leaves and operation.name in STEPS:
            return operation
    return None


def _before_backward(
    case: Case, raised: Raised, evidence: dict[str, str], place: Place | None
) -> Match:
    if not case.source.calls_within(case.exercise.name, "backward"):
        account = "every .grad is still None where this line wants to use it"
        return Match("backward-missing", account, evidence, place)
    if case.exercise.kind == "descent" and not raised.attribute:
        account = "backward() has not run yet where this line uses .grad, so it is None"
        return Match("step-before-backward", account, evidence, place)
    account = "at this line no backward() has run yet, so .grad is None"
    return Match("gradient-still-none", account, evidence, place)
