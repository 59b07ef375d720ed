"""Mistakes in a loop that trains a module, from its calls, gradients and optimizer steps."""

from __future__ import annotations

from collections.abc import Callable

import torch

from grader.checking.assertions import type_text
from grader.checking.failure import Failure
from grader.misconceptions.case import Case, Match
from grader.misconceptions.followed import Followed, follow, line_of, maker_of
from grader.misconceptions.module_moves import (
    late_gradient,
    not_reset,
    other_gradient,
    other_rule,
    some_parameters,
)
from grader.misconceptions.module_visits import other_order, started_anew
from grader.misconceptions.replicas import match_replicas
from grader.observation import Observation, Opaque
from grader.student.handles import Handle

_FORCING = ("tensor", "as_tensor", "requires_grad_", "requires_grad=", "Parameter", "__new__")


def trains_module(call: Observation | None) -> bool:
    """Whether a call got a module to train."""
    return call is not None and bool(call.args) and isinstance(call.args[0], Handle)


def match_module_training(case: Case, failure: Failure) -> list[Match]:
    """The name that fits one failed check of a loop that trains a module."""
    call = failure.observation
    if call is None:
        return []
    lazy = isinstance(call.returned, Opaque) and call.returned.type_name == "generator"
    if lazy:
        account = "a generator comes back: with `yield` nothing runs until somebody asks for values"
        return [Match("wrong-return-type", account, {"got": "generator"}, case.whole_function())]
    if failure.kind == "type":
        return [_other_type(case, failure)]
    loop = follow(case)
    if loop is None:
        return []
    for rule in _RULES:
        match = rule(case, loop)
        if match is not None:
            return [match]
    return match_replicas(case)


def _other_type(case: Case, failure: Failure) -> Match:
    got = failure.got
    items = got if isinstance(got, list | tuple) else []
    tensors = [item for item in items if isinstance(item, torch.Tensor)]
    if tensors:
        kept = sum(tensor.requires_grad for tensor in tensors)
        account = f"the list holds {len(tensors)} tensors where floats are due"
        if kept:
            account += f", and {'each' if kept == len(tensors) else kept} still has a grad_fn"
        evidence = {"tensors": len(tensors), "with_graph": kept}
        return Match("loss-tensor-kept", account, evidence, case.whole_function())
    what = type_text(got)
    if items:
        other = next(item for item in items if not isinstance(item, float))
        what = f"a list that holds {type_text(other)}"
    account = f"a list of floats is due, and {what} comes back"
    return Match("wrong-return-type", account, {"got": what}, case.whole_function())


def _other_model(case: Case, loop: Followed) -> Match | None:
    if loop.seen.passes and any(one.own for one in loop.seen.passes):
        return None
    if loop.copies:
        account = f"a copy of the model was called {len(loop.copies)} times, the model itself never"
        return Match("copy-trained", account, {"calls": 0}, line_of(case, loop.copies[0]))
    account = "the model that was passed in was never called, and its parameters never moved"
    return Match("given-model-ignored", account, {"calls": 0}, case.whole_function())


def _no_recording(case: Case, loop: Followed) -> Match | None:
    if loop.stretches or loop.record.raised is not None:
        return None
    account = f"the model was called {len(loop.seen.passes)} times, each time with grad mode off"
    line = line_of(case, loop.seen.passes[0])
    return Match("training-under-no-grad", account, {"calls": len(loop.seen.passes)}, line)


def _no_gradient(case: Case, loop: Followed) -> Match | None:
    if any(stretch.arrived for stretch in loop.stretches) or loop.record.raised is not None:
        return None
    operations = case.trace(loop.record)
    evidence = {"calls": len(loop.stretches)}
    if any(operation.name == "backward" for operation in operations):
        forced = [op for op in operations if op.name in _FORCING]
        account = "the loss was told to require grad, but no path leads from it to a parameter"
        place = case.place_of(forced[-1]) if forced else case.whole_function()
        return Match("requires-grad-forced", account, evidence, place)
    account = f"the model was called {len(loop.stretches)} times, and no gradient ever came to it"
    return Match("backward-missing", account, evidence, case.whole_function())


def _nothing_moves(case: Case, loop: Followed) -> Match | None:
    if loop.seen.moved or not loop.stretches:
        return None
    steps = loop.steps
    came = sum(stretch.arrived for stretch in loop.stretches)
    if not steps:
        account = f"gradients came {came} times, and no optimizer ever took a step"
        return Match("step-missing", account, {"gradients": came}, case.whole_function())
    evidence = {"gradients": came, "steps": len(steps)}
    if all(step.own == 0 for step in steps):
        first = steps[0]
        account = (
            f"the optimizer took {len(steps)} steps and holds {first.others} tensors, none of "
            "which is a parameter of this model"
        )
        return Match("optimizer-on-other-parameters", account, evidence, maker_of(case, first))
    brought = [g for s in loop.stretches for g in s.fresh if g is not None]
    if all(step.slopes == 0 for step in steps) and any(bool((g != 0).any()) for g in brought):
        late = [stretch for stretch in loop.stretches if stretch.late]
        if len(late) == len(loop.stretches):
            account = "each step comes before backward(), and finds no gradient to use"
            return Match("step-before-backward", account, evidence, line_of(case, steps[0]))
        account = (
            f"gradients came {came} times, and at each of the {len(steps)} steps every one of them "
            "was None or 0 again"
        )
        return Match("gradient-reset-before-update", account, evidence, line_of(case, steps[0]))
    return None


_RULES: tuple[Callable[[Case, Followed], Match | None], ...] = (
    _other_model, _no_recording, _no_gradient, _nothing_moves, started_anew, other_order,
    some_parameters, late_gradient, not_reset, other_rule, other_gradient,
)  # fmt: skip
