"""Mistakes in a plain function: type, dtype, shape, values, graph, changed arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from grader.checking.assertions import type_text
from grader.checking.failure import Failure, index_text, number, shape_text
from grader.checking.judging import CheckResult
from grader.misconceptions.case import MOST_PLAIN_ARGUMENTS, Case, Match
from grader.misconceptions.cuts import CUTS, first_cut, first_of_dtype
from grader.misconceptions.effects import (
    change_of,
    changed_argument,
    data_requiring_grad,
    shared_memory,
)
from grader.misconceptions.recognising import recognised
from grader.misconceptions.shapes import match_shapes
from grader.misconceptions.source import Place
from grader.misconceptions.unfilled import empty_gradient
from grader.misconceptions.values import match_values
from grader.observation import Observation, Opaque


def match_function(case: Case, result: CheckResult, failure: Failure) -> list[Match]:
    """The names that fit one failed check; several only if each has evidence of its own."""
    call = failure.observation
    if call is None:
        return []
    changed = next((i for i, a in enumerate(call.arguments) if a.changed), None)
    rewritten = next((i for i, array in enumerate(call.arrays) if array.changed), None)
    if failure.kind in ("values", "shape") and rewritten is not None:
        failure = Failure("changed", "the array itself was changed", {"array": rewritten})
    if failure.kind in ("values", "shape", "gradient") and changed is not None:
        # Whatever else is wrong may come of that.
        return [changed_argument(case, change_of(call, changed), call)]
    if failure.kind == "memory":
        return [shared_memory(case, failure, call)]
    if failure.kind == "requires-grad":
        return [data_requiring_grad(case, failure, call)]
    if failure.kind == "changed":
        return [changed_argument(case, failure, call)]
    named = recognised(case, case.calls)
    if not named and failure.kind != "type":
        # The operations of one call are recorded only where its values alone have no name.
        named = match_values(case) or recognised(case, [case.traced(call)])
    if named:
        return named
    if failure.kind == "type":
        return [_type(case, failure, call)]
    if failure.kind == "dtype":
        match = _dtype(case, failure, call)
        return [match] if match else []
    if failure.kind == "gradient-missing":
        return [_missing(case, failure, call)]
    if failure.kind == "gradient":
        match = _gradient(case, failure, call)
        return [match] if match else []
    if failure.kind in ("shape", "values"):
        match = _table(case, call) or match_shapes(case) or _ignored(case, call)
        return [match] if match else []
    return []


def _type(case: Case, failure: Failure, call: Observation) -> Match:
    what = type_text(call.returned)
    evidence = {"got": what}
    place = case.whole_function()
    if call.returned is None and (unfilled := empty_gradient(case, call)) is not None:
        return unfilled
    made = [
        op for op in case.trace(call) if not op.outputs and op.kind in ("float", "ndarray", "list")
    ]
    if made:
        place = case.place_of(made[-1])
    account = f"a tensor is due, and {what} comes back"
    if call.returned is None:
        account = "nothing comes back: the function ends without returning a tensor"
    elif isinstance(call.returned, Opaque) and call.returned.text:
        account += f" ({call.returned.text[:60]})"
    return Match("wrong-return-type", account, evidence, place)


def _dtype(case: Case, failure: Failure, call: Observation) -> Match | None:
    got = str(failure.evidence.get("got", ""))
    due = str(failure.evidence.get("expected", ""))
    evidence = {"got": got, "expected": due}
    if got == "float64" and due == "float32":
        place = first_of_dtype(case, call, "float64")
        account = f"{_types_given(case, call)} went in, float64 came out"
        return Match("float64-mixing", account, evidence, place or case.whole_function())
    if got.startswith(("int", "uint")):
        place = first_of_dtype(case, call, "int")
        given = _types_given(case, call)
        given = given if "int" in given else "floats"
        account = f"{given} went in, whole numbers ({got}) came out"
        return Match("integer-tensors", account, evidence, place or case.whole_function())
    return None


def _types_given(case: Case, call: Observation) -> str:
    """`float32`; where arguments differ, each by its name."""
    names = iter(case.parameters)
    given = [
        (name, str(arg.dtype).removeprefix("torch."))
        for name, arg in zip(names, call.args, strict=False)
        if isinstance(arg, torch.Tensor | np.ndarray)
    ]
    dtypes = dict.fromkeys(dtype for _, dtype in given)
    if len(dtypes) == 1:
        return next(iter(dtypes))
    return " and ".join(f"{name} as {dtype}" for name, dtype in given) or "float32"


def _missing(case: Case, failure: Failure, call: Observation) -> Match:
    missing = [case.argument_name(index) for index in failure.evidence["missing"]]
    names = (
        " and ".join(missing)
        if len(missing) < 3
        else f"{', '.join(missing[:-1])} and {missing[-1]}"
    )
    evidence: dict[str, Any] = {
        "missing": missing,
        "expected": failure.evidence["expected_first"],
        "reached": [
            case.argument_name(i)
            for i, argument in enumerate(call.arguments)
            if argument.reached and case.argument_name(i) not in missing
        ],
    }
    returned = call.tensors[0] if call.tensors else None
    place = first_cut(case, call)
    # Asserted by the worker, confirmed by the missing gradient.
    forced = returned is not None and returned.requires_grad and not evidence["reached"]
    if forced:
        account = f"the result says that it requires grad, but no path leads from it to {names}"
        account += f"\n{_due(evidence)}"
        return Match(
            "requires-grad-forced",
            account,
            evidence,
            _forced_line(case, call) or case.whole_function(),
        )
    account = f"the numbers are right, but the path back to {names} ends here\n{_due(evidence)}"
    return Match("graph-cut", account, evidence, place or case.whole_function())


def _due(evidence: dict[str, Any]) -> str:
    """Which gradients came, and the first entry of the first that did not."""
    first, reached = evidence["missing"][0], evidence["reached"]
    came = (
        f"backward() reached {', '.join(reached)} only" if reached else "backward() reached nothing"
    )
    return f"{came}; the gradient of {first} should begin with {number(evidence['expected'])}"


def _forced_line(case: Case, call: Observation) -> Place | None:
    found = None
    for operation in case.trace(call):
        if operation.name in ("requires_grad_", "requires_grad=", "tensor", "Parameter", "__new__"):
            found = case.place_of(operation)
    return found


def _gradient(case: Case, failure: Failure, call: Observation) -> Match | None:
    """Right values with a wrong gradient: a backward of one's own, or a path that was half cut."""
    name = case.argument_name(failure.argument or 0)
    evidence = {"argument": name, **failure.evidence}
    case.student.begin(f"graph {case.exercise.name}")
    record = case.student.run(case.exercise.name, call.args, graph=True)
    # Built-in operations end in a digit; a Function of one's own is called after its class.
    own = [
        node.name for node in record.graph if not node.name[-1:].isdigit() and "::" not in node.name
    ]
    if own:
        rule = own[0].removesuffix("Backward")
        where = f"{name}{index_text(tuple(failure.evidence['index']))}"
        account = (
            f"the rule of {rule} gives a gradient of {number(failure.evidence['got'])} "
            f"for {where}, "
            f"it should be {number(failure.evidence['expected'])}"
        )
        place = _own_backward(case)
        return Match("wrong-backward", account, evidence | {"node": own[0]}, place)
    cut = [
        op
        for op in case.trace(call)
        if op.name in CUTS[:-1]
        and any(given.requires_grad for given in op.inputs)
        and not any(out.requires_grad for out in op.outputs)
    ] + [
        op
        for op in case.trace(call)
        if not op.grad_mode and any(given.requires_grad for given in op.inputs)
    ]
    if cut:
        account = f"the numbers are right, but part of the path back to {name} is missing"
        return Match("graph-cut", account, evidence, case.place_of(cut[0]))
    return None


def _own_backward(case: Case) -> Place | None:
    found = case.source.function("backward")
    return Place(found[0], found[1].lineno, found[1].end_lineno) if found else case.whole_function()


def _table(case: Case, call: Observation) -> Match | None:
    """(N,) met (N, 1): somewhere a table of N x N appeared that no argument has."""
    if len(call.arguments) > MOST_PLAIN_ARGUMENTS:
        return None  # a network has tables of its own
    sizes = {n for tensor in call.arguments for n in tensor.before.shape if n > 1}
    given = {tuple(argument.before.shape) for argument in call.arguments}
    for operation in case.trace(call):
        for out in operation.outputs:
            square = len(out.shape) == 2 and out.shape[0] == out.shape[1] and out.shape[0] in sizes
            vectors = all(max((*g.shape, 1)) == _count(g.shape) for g in operation.inputs)
            if square and out.shape not in given and vectors and len(operation.inputs) >= 2:
                shapes = [shape_text(g.shape) for g in operation.inputs]
                n = out.shape[0]
                account = f"shapes {shapes[0]} and {shapes[1]} met and made a {n} x {n} table"
                evidence = {"shapes": shapes, "table": list(out.shape)}
                return Match("broadcast-to-matrix", account, evidence, case.place_of(operation))
    return None


def _count(shape: tuple[int, ...]) -> int:
    total = 1
    for n in shape:
        total *= n
    return total


def _ignored(case: Case, call: Observation) -> Match | None:
    """No path leads from the result to an argument, and other values in it change no bit.

    Every call under one seed: weights drawn afresh inside come out the same then.
    """
    tensors = [arg for arg in call.args if isinstance(arg, torch.Tensor)]
    if not isinstance(call.returned, torch.Tensor) or len(tensors) < MOST_PLAIN_ARGUMENTS + 1:
        return None
    if len(tensors) != len(call.args):
        return None
    base = [arg.detach().clone().requires_grad_() for arg in tensors]
    case.student.begin(f"ignored {case.exercise.name}")
    again = case.student.run(case.exercise.name, base, seed=1)
    if not isinstance(again.returned, torch.Tensor) or again.raised is not None:
        return None
    ignored = [
        case.argument_name(index)
        for index in range(len(base))
        if not again.arguments[index].reached and _unmoved(case, base, index, again.returned)
    ]
    # One number left out is a slip of its own; weights taken from elsewhere are whole matrices.
    matrices = {case.argument_name(i) for i, arg in enumerate(base) if arg.dim() > 1}
    if not matrices & set(ignored):
        return None
    names = ", ".join(ignored)
    account = f"other values of {names} change nothing in the result"
    return Match("arguments-ignored", account, {"ignored": ignored}, case.whole_function())


def _unmoved(case: Case, base: list[torch.Tensor], index: int, before: torch.Tensor) -> bool:
    for scale, shift in ((0.7, 0.1), (-0.6, 0.4)):
        other = [*base]
        arg = base[index].detach()
        other[index] = (arg.flip(tuple(range(arg.dim()))) * scale + shift).requires_grad_()
        moved = case.student.run(case.exercise.name, other, seed=1)
        if moved.raised is not None or not isinstance(moved.returned, torch.Tensor):
            return False
        if moved.returned.shape != before.shape or not bool((moved.returned == before).all()):
            return False
        if not _oracle_differs(case, base, other):
            return False
    return True


def _oracle_differs(case: Case, base: list[torch.Tensor], other: list[torch.Tensor]) -> bool:
    function = getattr(case.oracle, case.exercise.name)
    try:
        gap = (function(*base) - function(*other)).abs().max()
    except Exception:
        return False
    return float(gap.detach()) > 1e-3
