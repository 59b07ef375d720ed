"""One update that is made to be looked at: parameters, gradients and a rate of the grader's own."""

from __future__ import annotations

from typing import Any

import torch

from grader.misconceptions.case import Case
from grader.misconceptions.own_gradient import makes_own, one_step, right_gradients
from grader.misconceptions.rules import Probe

RATES = (0.5, 0.2)
RATES_OF_OWN = (0.4, 0.2)  # half of the right gradient may be the parameter itself


def probe_update(case: Case, lr: float) -> Probe | None:
    """One update of parameters like those of a call seen, under this rate; None if it raises."""
    like = _like(case)
    if not like:
        return None
    generator = torch.Generator().manual_seed(case.assignment.seed + round(1000 * lr))
    params = []
    for tensor in like:
        p = torch.randn(tensor.shape, generator=generator)
        p = torch.where(p.abs() < 0.1, p.sign() * 0.1 + 0.05, p)
        size = (p.abs() + 0.3) * (0.6 + torch.rand(p.shape, generator=generator))
        p.requires_grad_()
        if not makes_own(case):
            p.grad = size * torch.where(torch.rand(p.shape, generator=generator) < 0.5, -1.0, 1.0)
        params.append(p)
    case.student.begin(f"probe {case.exercise.name} {lr}")
    record = case.student.run(case.exercise.name, one_step(case, as_taken(case, params), lr))
    if record.raised is not None or len(record.arguments) != len(params):
        return None
    grads = [
        p.grad.double() if p.grad is not None else torch.zeros(p.shape).double() for p in params
    ]
    if makes_own(case):
        own = right_gradients(case, params, lr)
        if own is None:
            return None
        grads = own
    return Probe(
        lr,
        record,
        [a.before.detach().double() for a in record.arguments],
        [grad.double() for grad in grads],
        [a.step.double() for a in record.arguments],
    )


def rates_of(case: Case) -> tuple[float, float]:
    return RATES_OF_OWN if makes_own(case) else RATES


def as_taken(case: Case, params: list[torch.Tensor]) -> Any:
    """As the exercise takes them: a list, or the one tensor."""
    for result in case.outcome.results:
        for call in result.calls:
            if call.function == case.exercise.name and call.args:
                return params if isinstance(call.args[0], list | tuple) else params[0]
    return params


def _like(case: Case) -> list[torch.Tensor]:
    for result in case.outcome.results:
        for call in result.calls:
            if call.function == case.exercise.name and call.arguments:
                return [argument.before for argument in call.arguments]
    return []
