"""Mistakes where plain numbers are due: numbers that change later, gradients left elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import torch

from grader.checking.assertions import type_text
from grader.checking.facts import left_over
from grader.checking.failure import Failure, number
from grader.misconceptions.case import Case, Match
from grader.misconceptions.cuts import copied_line
from grader.misconceptions.effects import change_of, changed_argument
from grader.misconceptions.left_behind import bare_method
from grader.misconceptions.recognising import recognised
from grader.misconceptions.source import Place, dotted
from grader.misconceptions.unfilled import walks_back
from grader.misconceptions.values import match_values
from grader.observation import Observation, Operation

RESETS = ("zero_", "grad=", "fill_", "mul_", "__delete__")


def match_numbers(case: Case, failure: Failure) -> list[Match]:
    """The name that fits one failed check of a function that gives plain numbers."""
    call = failure.observation
    if call is None:
        return []
    changed = next((i for i, argument in enumerate(call.arguments) if argument.changed), None)
    if failure.kind == "changed":
        return [_changed(case, failure, call)]
    if failure.kind == "numbers" and changed is not None and case.exercise.kind == "numbers":
        # Whatever else is wrong may come of that.
        return [_changed(case, change_of(call, changed), call)]
    if failure.kind == "type":
        return recognised(case, [call]) or [numbers_of_another_type(case, failure, call)]
    if failure.kind == "gradient-left":
        return [match] if (match := _left_elsewhere(case, failure, call)) else []
    if failure.kind != "numbers":
        return []
    named = recognised(case, case.calls) or match_values(case)
    named = named or recognised(case, [case.traced(call)])
    return named or [match for match in (_piled_up(case, failure), _count(case, failure)) if match]


def _changed(case: Case, failure: Failure, call: Observation) -> Match:
    after = call.arguments[failure.argument or 0].after.detach()
    if bool((after == 0).all()):
        name = case.argument_name(failure.argument or 0)
        was = number(failure.evidence.get("expected", 0.0))
        account = f"{name} was {was} before the call and is 0 after it"
        place = _last(case.trace(call), "zero_", "fill_", "mul_", "data")
        return Match("parameter-zeroed", account, failure.evidence, place)
    return changed_argument(case, failure, call)


def numbers_of_another_type(case: Case, failure: Failure, call: Observation) -> Match:
    """What came back instead of a list of floats."""
    items = list(call.returned) if isinstance(call.returned, list | tuple) else []
    tensors = [item for item in items if isinstance(item, torch.Tensor)]
    place = case.source.find(case.exercise.name, _appends) if items else None
    if _one_thing(call, items, tensors, failure.expected):
        value = number(float(items[-1].reshape(-1)[0]))
        account = f"the list holds the same memory {len(items)} times, and it reads {value} now"
        if isinstance(failure.expected, list) and failure.expected:
            due = ", ".join(number(one) for one in failure.expected[:4])
            account += f"; {due} should stand there"
        evidence = {"items": len(items), "reads": float(items[-1].reshape(-1)[0])}
        return Match("same-tensor-recorded", account, evidence, place)
    graphs = sum(tensor.requires_grad for tensor in tensors)
    if graphs and (graphs == len(items) or case.exercise.kind == "descent"):
        account = f"the list holds {len(tensors)} tensors where floats are due"
        account += f", and {'each' if graphs == len(tensors) else graphs} still has a grad_fn"
        evidence = {"tensors": len(tensors), "with_graph": graphs}
        return Match("loss-tensor-kept", account, evidence, place)
    account = failure.message
    if call.returned is None:
        account = "nothing comes back: the function ends without returning anything"
    return Match("wrong-return-type", account, {"got": type_text(call.returned)}, place)


def _appends(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and dotted(node.func).rsplit(".", 1)[-1] == "append"


def _one_thing(
    call: Observation, items: Sequence[Any], tensors: Sequence[torch.Tensor], due: Any
) -> bool:
    """All items are one tensor, or share one memory."""
    if len(items) < 2:
        return False
    if len(tensors) == len(items):
        return len(set(call.storages)) == 1
    # NumPy's views say nothing about their memory: equal where different numbers are due.
    if not all(isinstance(item, np.ndarray) and item.size for item in items):
        return False
    read = {float(item.reshape(-1)[0]) for item in items}
    return len(read) == 1 and isinstance(due, list) and (len(set(due)) > 1 or read == {0.0})


def _left_elsewhere(case: Case, failure: Failure, call: Observation) -> Match | None:
    """The numbers are right; what is missing is the gradient in the caller's own tensor."""
    argument = failure.argument or 0
    name = f"{case.argument_name(argument)}.grad"
    due = number(failure.evidence["expected"])
    evidence = {"argument": case.argument_name(argument), **failure.evidence}
    trace = case.trace(call)
    ran = any(op.name == "backward" for op in trace)
    if failure.evidence["got"] is None:
        said = f"{name} of the tensor that was passed in is None after the call, {due} is due"
        copied = copied_line(case, call)
        if copied is not None:
            account = f"the numbers are right, but their path ends at a copy: {said}"
            return Match("graph-cut", account, evidence, copied)
        if asked := [op for op in trace if walks_back(op) and op.name != "backward"]:
            account = f"the gradients were asked for and handed to you alone: {said}"
            return Match("gradient-not-left", account, evidence, case.place_of(asked[0]))
        if not ran:
            account = f"the numbers are right, and no backward() has run: {said}"
            return Match("backward-missing", account, evidence)
        if (place := _last(trace, "grad=")) is not None:
            account = f"the gradient was there and was thrown away: {said}"
            return Match("gradient-not-left", account, evidence, place)
        return None
    if failure.evidence["got"] == 0 and ran:
        account = f"the gradient was there and was reset: {name} is 0 after the call, {due} is due"
        place = _last(trace, "zero_", "grad=", "fill_")
        return Match("gradient-not-left", account, evidence, place)
    return None


def _piled_up(case: Case, failure: Failure) -> Match | None:
    """Each number is the sum of those that are due so far."""
    got, due = failure.got, failure.expected
    call = failure.observation
    if not isinstance(got, list | tuple) or not isinstance(due, list) or len(got) != len(due):
        return None
    if len(due) < 2 or not _close(got, list(accumulate(due))) or call is None:
        return None
    evidence = {"first": got[0], "second": got[1], "due": due[1]}
    trace = case.trace(call)
    resets = sum(op.name in RESETS for op in trace)
    walks = sum(op.name == "backward" for op in trace)
    left = next((a.after.grad for a in call.arguments if left_over(a)), None)
    still = left is not None and left.numel() == 1 and _close([float(left)], [got[-1]])
    if still or walks >= len(due) > resets + 1:
        account = (
            f"the first backward() gave {number(got[0])}, after the second .grad held "
            f"{number(got[1])}, which is {number(got[0])} + {number(due[1])}"
        )
        place = case.source.find(case.exercise.name, bare_method)
        return Match("gradient-not-reset", account, evidence, place or case.whole_function())
    account = f"number 2 is {number(got[1])}, which is {number(due[0])} + {number(due[1])}"
    return Match("running-total", account, evidence, case.whole_function())


def _count(case: Case, failure: Failure) -> Match | None:
    """The right numbers, too few or too many of them."""
    got, due = failure.got, failure.expected
    if failure.evidence.get("what") != "count" or not isinstance(got, list | tuple):
        return None
    common = min(len(got), len(due))
    # Whether they are missing at the start or at the end, the others are right.
    if not common:
        return None
    if not (_close(got[:common], due[:common]) or _close(got[-common:], due[-common:])):
        return None
    account = "apart from those that are too many, the numbers are right"
    if len(got) < len(due):
        account = "the numbers that came back are right"
    evidence = {"got": len(got), "expected": len(due)}
    return Match("step-count-off", account, evidence, case.whole_function())


def _close(got: Sequence[float], due: Sequence[float]) -> bool:
    return all(abs(a - b) <= 1e-4 * max(1.0, abs(b)) for a, b in zip(got, due, strict=True))


def _last(trace: Sequence[Operation], *names: str) -> Place | None:
    for operation in reversed(trace):
        if operation.name in names:
            return Place(operation.filename, operation.line)
    return None
