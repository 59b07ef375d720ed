"""A training loop followed step by step: what a watched model told of it, put in order."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from grader.errors import StudentError
from grader.misconceptions.case import Case
from grader.misconceptions.source import Place, dotted
from grader.observation import Observation
from grader.observed_modules import Arrival, ModuleSeen, OptimizerStep, Pass
from grader.student.handles import Handle, sequential
from grader.student.worker.wire import CannotDecode, tensor_from

EPOCHS = 2


@dataclass
class Stretch:
    """What happened from one recorded call of the model to the next.

    `before` and `after` are the parameters' values at its two ends, `fresh` the gradients that
    came, `total` what .grad held once the last of them had come; None where none came. `late` says
    that the optimizer stepped first, and a gradient came after it.
    """

    call: Pass
    before: list[torch.Tensor]
    after: list[torch.Tensor]
    fresh: list[torch.Tensor | None]
    total: list[torch.Tensor | None]
    steps: list[OptimizerStep] = field(default_factory=list)
    late: bool = False

    @property
    def moves(self) -> list[torch.Tensor]:
        return [b - a for a, b in zip(self.before, self.after, strict=True)]

    @property
    def arrived(self) -> bool:
        return any(grad is not None for grad in self.fresh)


@dataclass
class Followed:
    """A whole loop: its arguments, the stretches of the model's own calls, and its end."""

    record: Observation
    seen: ModuleSeen
    X: torch.Tensor
    y: torch.Tensor
    epochs: int
    lr: float
    start: list[torch.Tensor]
    stretches: list[Stretch]
    copies: list[Pass]

    @property
    def steps(self) -> list[OptimizerStep]:
        return [step for step in self.seen.events if isinstance(step, OptimizerStep)]

    @property
    def used(self) -> list[Stretch]:
        """The stretches whose call had its gradients taken."""
        return [stretch for stretch in self.stretches if stretch.arrived]

    def rows(self, stretches: Sequence[Stretch]) -> list[list[int]]:
        """For each stretch, which samples were in its call; -1 for what is no sample."""
        return [_rows(stretch.call, self.X) for stretch in stretches]


def follow(case: Case, lr: float | None = None, epochs: int = EPOCHS) -> Followed | None:
    """Run the loop on a model like a check's, watched; None where there was none to be had."""
    base = next((call for call in _calls(case) if _rate(call) is None or _rate(call)), None)
    if base is None:
        return None
    model, X, y = base.args[:3]
    found = base.module(model)
    if found is None or model.blueprint is None:
        return None
    rate = lr if lr is not None else (_rate(base) or 0.1)
    case.student.begin(f"follow {case.exercise.name} {rate:g} {epochs}")
    try:
        watched = sequential(case.student, model.blueprint.layers, found.before, steps=True)
        record = case.student.run(case.exercise.name, [watched, X, y, epochs, rate])
        seen = record.module(watched)
        if seen is None:
            return None
        return Followed(
            record, seen, X, y, epochs, rate, list(found.before), _stretches(seen),
            [one for one in seen.passes if not one.own],
        )  # fmt: skip
    except (CannotDecode, StudentError):
        return None


def _calls(case: Case) -> list[Observation]:
    """The calls of this exercise that got a check's own model."""
    return [
        call
        for result in case.outcome.results
        for call in result.calls
        if call.function == case.exercise.name
        and len(call.args) >= 3
        and isinstance(call.args[0], Handle)
    ]


def _rate(call: Observation) -> float | None:
    return float(call.args[4]) if len(call.args) > 4 else None


def _stretches(seen: ModuleSeen) -> list[Stretch]:
    found: list[Stretch] = []
    for event in seen.events:
        if isinstance(event, Pass):
            if event.own and event.grad_mode and event.parameters:
                values = [tensor_from(p) for p in event.parameters]
                nothing: list[Any] = [None] * len(values)
                found.append(Stretch(event, values, values, nothing, list(nothing)))
        elif found and isinstance(event, OptimizerStep):
            found[-1].steps.append(event)
        elif found and isinstance(event, Arrival) and 0 <= event.parameter < len(found[-1].before):
            _arrive(found[-1], event)
    for one, following in itertools.pairwise(found):
        one.after = following.before
    if found:
        found[-1].after = seen.after if len(seen.after) == len(found[-1].before) else []
        if not found[-1].after:
            found.pop()
    return _joined(found)


def _joined(found: list[Stretch]) -> list[Stretch]:
    """Without calls in between that no gradient was taken of, before the step that uses one."""
    kept: list[Stretch] = []
    for one in found:
        last = kept[-1] if kept else None
        if last is not None and last.arrived and not last.steps and one.steps and not one.arrived:
            last.steps, last.after = one.steps, one.after
        else:
            kept.append(one)
    return kept


def _arrive(stretch: Stretch, event: Arrival) -> None:
    place = event.parameter
    fresh, total = tensor_from(event.fresh), tensor_from(event.total)
    stretch.late = stretch.late or bool(stretch.steps)
    came = stretch.fresh[place]
    stretch.fresh = [*stretch.fresh]
    stretch.fresh[place] = fresh if came is None else came + fresh
    stretch.total[place] = total


def _rows(call: Pass, X: torch.Tensor) -> list[int]:
    if call.values is None:
        return []
    values = tensor_from(call.values).float()
    if values.numel() % X.shape[-1]:
        return []
    rows = []
    for row in values.reshape(-1, X.shape[-1]):
        gaps = (X.float() - row).abs().amax(dim=1)
        best = int(gaps.argmin())
        rows.append(best if float(gaps[best]) < 1e-6 else -1)
    return rows


def flat(tensors: Sequence[torch.Tensor | None], like: Sequence[torch.Tensor]) -> torch.Tensor:
    """All of them as one vector, in float64; zeros for None."""
    return torch.cat(
        [
            (torch.zeros_like(shape) if tensor is None else tensor).double().reshape(-1)
            for tensor, shape in zip(tensors, like, strict=True)
        ]
    )


def line_of(case: Case, event: Any) -> Place | None:
    """The student's line of a call or a step."""
    return Place(event.filename, event.line) if event.filename else case.whole_function()


def maker_of(case: Case, step: OptimizerStep) -> Place | None:
    """The line that makes an optimizer of this kind, else that of its step."""

    def makes(node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] == step.kind

    return case.source.find(case.exercise.name, makes) or line_of(case, step)
