"""What an update leaves behind: gradients, and whether autograd still tracks."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import torch

from grader.checking.facts import left_over
from grader.checking.failure import index_text, number
from grader.misconceptions.case import Case, Match
from grader.misconceptions.own_gradient import makes_own
from grader.misconceptions.rules import Probe
from grader.misconceptions.source import Place


def operation_place(case: Case, probe: Probe, names: Sequence[str]) -> Place | None:
    for operation in case.trace(probe.record):
        if operation.name in names:
            return case.place_of(operation)
    return None


def not_reset(case: Case, probe: Probe) -> Match:
    stale = [i for i, a in enumerate(probe.record.arguments) if left_over(a)]
    index = stale[0] if stale else 0
    argument = probe.record.arguments[index]
    grad = (
        argument.after.grad if argument.after.grad is not None else torch.zeros_like(argument.after)
    )
    place = (0,) * grad.dim()
    seen, first = float(grad[place]), float(probe.grads[index][place])
    name = f"{case.argument_name(index)}.grad{index_text(place)}"
    names = [case.argument_name(i) for i in stale]
    evidence: dict[str, Any] = {"gradient": first, "left": seen, "parameters": names}
    if abs(seen - first) < 1e-5 * max(1.0, abs(first)):
        when = "before your step and still is after it"
        if makes_own(case):
            when = "after your backward() and still is at the end"
        numbers = f"{name} was {number(first)} {when}; the next backward() adds to that"
    else:
        numbers = f"{name} was {number(first)} before and is {number(seen)} after, not 0"
    ok = [case.argument_name(i) for i in range(len(probe.steps)) if i not in stale]
    tail = f"\nReset: {', '.join(ok)}. Not reset: {', '.join(names)}." if ok else ""
    place_of = case.source.find(case.exercise.name, bare_method) or case.whole_function()
    return Match("gradient-not-reset", f"{numbers}{tail}", evidence, place_of)


def bare_method(node: ast.AST) -> bool:
    """`p.grad.zero_` without its parentheses, or a comparison left standing alone."""
    return isinstance(node, ast.Expr) and isinstance(node.value, (ast.Attribute, ast.Compare))


def tracking(case: Case, probe: Probe) -> Match | None:
    record = probe.record
    lost = [i for i, a in enumerate(record.arguments) if not a.requires_grad]
    if lost:
        names = ", ".join(case.argument_name(i) for i in lost)
        account = f"requires_grad was True before the call and is False after it for {names}"
        place = operation_place(case, probe, ("requires_grad_", "requires_grad=", "detach_"))
        evidence = {"parameters": [case.argument_name(i) for i in lost]}
        return Match(
            "parameter-no-longer-tracked", account, evidence, place or case.whole_function()
        )
    if record.grad_mode != record.grad_mode_before:
        account = "grad mode was on before the call and is off after it"
        switches = [op for op in case.trace(record) if op.name == "_set_grad_enabled"]
        place = case.place_of(switches[-1]) if switches else None
        return Match(
            "grad-mode-left-off", account, {"grad_mode": False}, place or case.whole_function()
        )
    return None
