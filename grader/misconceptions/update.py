"""Mistakes in an update step, from what became of the caller's own parameters.

A probe of its own: parameters, gradients at least as large as them, one rate; where one factor
matters, a second rate. A factor is named only where |lr * g| >= 0.1 |p|.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Collection
from typing import Any

import torch

from grader.checking.facts import left_over
from grader.checking.failure import index_text, number
from grader.misconceptions.case import Case, Match
from grader.misconceptions.cuts import copied_line
from grader.misconceptions.left_behind import not_reset, operation_place, tracking
from grader.misconceptions.numbers import close, constant_factor
from grader.misconceptions.own_gradient import (
    along_each_other,
    makes_own,
    one_step,
)
from grader.misconceptions.probing import as_taken, probe_update, rates_of
from grader.misconceptions.rules import OTHER_RULE, Probe, memory, other_rule
from grader.misconceptions.source import Place
from grader.observation import Operation

OTHER_STEP = "another update than expected"


def match_update(case: Case, kinds: Collection[str] = ()) -> list[Match]:
    """The names that fit what the update did; a wrong step and a missing reset are two mistakes.

    `kinds` of failures are looked into besides those that the checks saw.
    """
    kinds = {failure.kind for _, failure in case.failing} | set(kinds)
    matches: list[Match] = []
    probe = probe_update(case, rates_of(case)[0])
    if probe is None:
        return []
    if "step" in kinds:
        step = _step(case, probe)
        if step is not None:
            matches.append(step)
    unmoved = set(range(len(probe.steps))) - set(probe.moved)
    zeroed = any(match.slug == "parameter-zeroed" for match in matches)
    if "reset" in kinds and not zeroed:
        stale = {i for i, a in enumerate(probe.record.arguments) if left_over(a)}
        # What was never reached cannot be said to lack its reset.
        if not matches or not stale <= unmoved:
            matches.append(not_reset(case, probe))
    if "tracking" in kinds:
        tracked = tracking(case, probe)
        if tracked is not None:
            matches.append(tracked)
    return matches


def _step(case: Case, probe: Probe) -> Match | None:
    for test in (
        _zeroed, _nothing_moved, _remembering, _some_moved, _one_factor, _along_parameter, _rule,
    ):  # fmt: skip
        match = test(case, probe)
        if match is not None:
            return match
    return None


def numbers_of(probe: Probe, index: int, want: bool = True) -> tuple[str, dict[str, Any]]:
    """The first entry of a parameter in words, and as evidence."""
    place = (0,) * probe.before[index].dim()
    p, g = float(probe.before[index][place]), float(probe.grads[index][place])
    after = p + float(probe.steps[index][place])
    due = p - probe.lr * g
    evidence = {"before": p, "gradient": g, "lr": probe.lr, "after": after, "expected": due}
    went = f"stayed at {number(p)}" if after == p else f"went from {number(p)} to {number(after)}"
    text = f"{went}; with gradient {number(g)} and lr {probe.lr:g} it should be {number(due)}"
    return text, evidence


def _named(case: Case, index: int, probe: Probe) -> str:
    place = (0,) * probe.before[index].dim()
    return f"{case.argument_name(index)}{index_text(place)}"


def _said(case: Case, probe: Probe, index: int, lead: str) -> tuple[str, dict[str, Any]]:
    text, evidence = numbers_of(probe, index)
    return f"{lead}\n{_named(case, index, probe)} {text}.", evidence


def _zeroed(case: Case, probe: Probe) -> Match | None:
    after = [argument.after.detach() for argument in probe.record.arguments]
    zero = [i for i, tensor in enumerate(after) if bool((tensor == 0).all())]
    # All that moved ended at zero: a rule that rounds does that to a small one alone.
    if not zero or set(zero) != set(probe.moved):
        return None
    lead = f"{case.argument_name(zero[0])} is all zeros after the call"
    account, evidence = _said(case, probe, zero[0], lead)
    place = operation_place(case, probe, ("zero_", "fill_", "__setitem__", "mul_"))
    return Match("parameter-zeroed", account, evidence, place or case.whole_function())


def _nothing_moved(case: Case, probe: Probe) -> Match | None:
    if probe.moved:
        return None
    if _writes_with_rate(case, probe):
        lead = "a step follows this line, but by then every gradient is 0"
        account, evidence = _said(case, probe, 0, lead)
        place = operation_place(case, probe, ("zero_", "grad=", "zero_grad", "fill_"))
        return Match(
            "gradient-reset-before-update", account, evidence, place or case.whole_function()
        )
    made = _new_values(case, probe)
    returned = [t for t in probe.record.tensors if t.shape in {b.shape for b in probe.before}]
    rebound = any(argument.rebound for argument in probe.record.arguments)
    if not (made or returned or rebound):
        return None
    lead = "the new values are in a new tensor, which is dropped when the function returns"
    if returned:
        lead = "the new values are in new tensors, which the function returns"
    elif rebound:
        lead = "the new values are in new tensors, put in the old ones' places in the list"
    account, evidence = _said(case, probe, 0, lead)
    evidence |= {"rebound": rebound, "returned_new": bool(returned)}
    return Match("update-not-in-place", account, evidence, made or case.whole_function())


def _writes_with_rate(case: Case, probe: Probe) -> bool:
    """With a rate of NaN, an update in place by a zero gradient still turns parameters to NaN."""
    params = [b.float().clone().requires_grad_() for b in probe.before]
    for p, g in zip(params, probe.grads, strict=True):
        p.grad = None if makes_own(case) else g.float().clone()
    case.student.begin(f"nan rate {case.exercise.name}")
    record = case.student.run(case.exercise.name, one_step(case, as_taken(case, params), math.nan))
    return record.raised is None and any(
        bool(argument.after.isnan().any()) for argument in record.arguments
    )


def _new_values(case: Case, probe: Probe) -> Place | None:
    """The line that made a new tensor of a parameter's shape after gradients were read."""
    shapes = {tuple(b.shape) for b in probe.before}
    made: list[Operation] = []
    read = False
    for operation in case.trace(probe.record):
        read = read or operation.name in ("grad", "_grad")
        fresh = operation.outputs and not operation.in_place and operation.name not in NOT_MAKING
        if fresh and operation.outputs[0].shape in shapes:
            made.append(operation)
    if not read or not made:
        return None
    # Made out of the parameter itself, not of its gradient alone; best where the step is taken.
    own = [op for op in made if any(given.requires_grad for given in op.inputs)] or made
    steps = [op for op in own if op.name in STEPS]
    if not steps and makes_own(case):
        # Not the loss: a step of what is no leaf any more, or on a copy.
        off = [op for op in made if op.name in STEPS and not op.outputs[0].requires_grad]
        return case.place_of(off[0]) if off else copied_line(case, probe.record)
    return case.place_of((steps or own)[0])


STEPS = frozenset({"sub", "rsub", "add", "subtract", "clone", "addcmul"})
NOT_MAKING = frozenset(
    {"grad", "_grad", "data", "zeros_like", "empty_like", "ones_like", "detach", "zeros"}
)


def _some_moved(case: Case, probe: Probe) -> Match | None:
    still = [i for i in range(len(probe.steps)) if i not in probe.moved]
    if not still or not probe.moved:
        return None
    # What moved must have moved rightly: else the subset is not the mistake to name.
    for index in probe.moved:
        if not close(probe.steps[index], -probe.lr * probe.grads[index], rtol=1e-3, atol=1e-5):
            return None
    names = " and ".join(case.argument_name(i) for i in still)
    lead = f"{len(probe.moved)} of {len(probe.steps)} parameters moved; {names} did not"
    account, evidence = _said(case, probe, still[0], lead)
    evidence["unmoved"] = [case.argument_name(i) for i in still]
    place = case.source.find(case.exercise.name, _leaves_early)
    return Match("some-parameters-not-updated", account, evidence, place or case.whole_function())


def _leaves_early(node: ast.AST) -> bool:
    return isinstance(node, (ast.Return, ast.Break, ast.Continue)) or (
        isinstance(node, ast.For)
        and any(isinstance(inner, ast.Subscript) for inner in ast.walk(node.iter))
    )


def _factor(probe: Probe) -> float | None:
    """The one c with every step = -c * lr * gradient."""
    step = torch.cat([s.reshape(-1) for s in probe.steps])
    right = torch.cat([(-probe.lr * g).reshape(-1) for g in probe.grads])
    return constant_factor(step, right)


def _one_factor(case: Case, probe: Probe) -> Match | None:
    factor = _factor(probe)
    if factor is None or abs(factor - 1) < 1e-3:
        return None
    other = probe_update(case, rates_of(case)[1])
    second = _factor(other) if other is not None else None
    if other is None or second is None:
        return None
    place = operation_place(
        case, probe, ("sub_", "add_", "__isub__", "__iadd__", "copy_", "add", "sub")
    )
    place = place or case.whole_function()
    if abs(factor * probe.lr - second * other.lr) < 1e-3 * abs(factor * probe.lr):
        k = factor * probe.lr
        lead = (
            f"with lr {probe.lr:g} and with lr {other.lr:g} the step is {number(abs(k))} times "
            "the gradient"
        )
        account, evidence = _said(case, probe, 0, lead)
        return Match("learning-rate-ignored", account, evidence | {"constant": k}, place)
    if abs(factor - second) > 1e-3 * abs(factor):
        return None
    if abs(factor + 1) < 1e-3:
        account, evidence = _said(case, probe, 0, "every step is -1 times the right one")
        return Match("gradient-ascent", account, evidence | {"factor": -1.0}, place)
    if 0 < factor < 1:
        lead = f"every step is {_fraction(factor)} of the right one"
        account, evidence = _said(case, probe, 0, lead)
        if makes_own(case):  # there is no batch: what was halved or averaged is not known
            return Match(None, account, evidence | {"factor": factor}, place, title=OTHER_STEP)
        return Match("divided-by-batch-size", account, evidence | {"factor": factor}, place)
    if abs(factor - round(factor)) < 1e-3 and factor > 1.5:
        lead = f"every step is {round(factor)} times the right one"
        account, evidence = _said(case, probe, 0, lead)
        return Match(OTHER_RULE, account, evidence | {"factor": factor}, place)
    return None


def _fraction(factor: float) -> str:
    whole = 1 / factor
    if abs(whole - round(whole)) < 0.01:
        return f"1/{round(whole)}"
    return number(factor)


def _along_parameter(case: Case, probe: Probe) -> Match | None:
    step = torch.cat([s.reshape(-1) for s in probe.steps])
    value = torch.cat([b.reshape(-1) for b in probe.before])
    factor = constant_factor(step, value)
    if factor is None or abs(factor + 1) < 1e-3 or abs(factor) < 1e-3:
        return None
    if along_each_other(probe.grads, probe.before):
        return None
    lead = f"the step is {number(factor)} times the parameter, whatever its gradient"
    account, evidence = _said(case, probe, 0, lead)
    return Match(
        "step-along-parameter", account, evidence | {"factor": factor}, case.whole_function()
    )


def _remembering(case: Case, probe: Probe) -> Match | None:
    """Before any factor is named: a first step with memory is a fraction of the right one, too."""
    found = memory(case)
    if found is None:
        return None
    account = f"the second step adds {number(found)} times the first one's gradient: momentum"
    return Match(OTHER_RULE, account, {"rule": found}, case.whole_function())


def _rule(case: Case, probe: Probe) -> Match | None:
    if not probe.moved:
        return None
    other = probe_update(case, rates_of(case)[1])
    if along_each_other(probe.grads, probe.before):
        other = None  # a multiple of the parameter is no decay there
    found = other_rule(case, probe, other)
    if found is None:
        return None
    lead, fitted = found
    account, evidence = _said(case, probe, 0, lead)
    return Match(OTHER_RULE, account, evidence | {"rule": fitted}, case.whole_function())
