"""Update rules other than the plain one: sign, clipping, weight decay, momentum."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from grader.checking.failure import number
from grader.misconceptions.case import Case
from grader.misconceptions.numbers import close, constant_factor
from grader.observation import Argument, Observation

OTHER_RULE = "not-plain-sgd"


@dataclass
class Probe:
    """One observed update: the rate, and per parameter value, gradient and step."""

    lr: float
    record: Observation
    before: list[torch.Tensor]
    grads: list[torch.Tensor]
    steps: list[torch.Tensor]

    @property
    def moved(self) -> list[int]:
        return [i for i, step in enumerate(self.steps) if bool((step != 0).any())]


def other_rule(case: Case, probe: Probe, other: Probe | None) -> tuple[str, float] | None:
    """(the rule in words, its number) where one fits the probe, and `other` under another rate."""
    sign = _sign(probe)
    first = _first_probe(case)
    if sign is None and first is not None:
        sign = _sign(first)  # with a memory, only the very first step shows it
    if sign is not None:
        return "the step uses only the gradient's sign, not its size", sign
    cap = _clipped(probe)
    if cap is not None:
        return f"the step cuts large gradients down to {number(cap)}", cap
    decay = _decay(probe)
    # c = 1 / lr is no decay: there the parameter was dropped. It must hold under another rate.
    if decay is not None and other is not None and abs(decay * probe.lr - 1) > 1e-2:
        again = _decay(other)
        if again is not None and (
            abs(again - decay) < 1e-2 * abs(decay)
            or abs(again * other.lr - decay * probe.lr) < 1e-2 * abs(decay * probe.lr)
        ):
            k = number(decay)
            return f"the step adds {k} times the parameter to its gradient: weight decay", decay
    return None


def _sign(probe: Probe) -> float | None:
    step = torch.cat([s.reshape(-1) for s in probe.steps])
    sign = torch.cat([g.sign().reshape(-1) for g in probe.grads])
    factor = constant_factor(step, sign)
    return factor if factor is not None and factor < 0 else None


def _clipped(probe: Probe) -> float | None:
    used = [-s / probe.lr for s in probe.steps]
    flat = torch.cat([u.reshape(-1) for u in used])
    grads = torch.cat([g.reshape(-1) for g in probe.grads])
    cap = float(flat.abs().max())
    clamped = grads.clamp(-cap, cap)
    if not close(clamped, grads) and close(flat, clamped, rtol=1e-3, atol=1e-5):
        return cap
    # By norm: each parameter's gradient, or all of them, scaled down.
    factors = [constant_factor(u, g) for u, g in zip(used, probe.grads, strict=True)]
    found = [f for f in factors if f is not None]
    if len(found) != len(factors) or any(not 0 < f <= 1.001 for f in found):
        return None
    shrunk = [
        (f, float((f * g).norm())) for f, g in zip(found, probe.grads, strict=True) if f < 0.999
    ]
    if len(shrunk) >= 2 and max(n for _, n in shrunk) - min(n for _, n in shrunk) < 1e-3:
        return shrunk[0][1]
    return None


def _decay(probe: Probe) -> float | None:
    """step = -lr * (g + c * p), one c throughout."""
    rest = torch.cat(
        [(-s / probe.lr - g).reshape(-1) for s, g in zip(probe.steps, probe.grads, strict=True)]
    )
    value = torch.cat([b.reshape(-1) for b in probe.before])
    factor = constant_factor(rest, value)
    return factor if factor is not None and abs(factor) > 1e-5 else None


def memory(case: Case) -> float | None:
    """How much of the first gradient is in the second step of a check's two on the same tensors.

    step1 = -lr1 * a * g1 and step2 = -lr2 * (b * g2 + c * g1), by least squares; c where the fit
    is exact and c is not 0: momentum, dampened or Nesterov's.
    """
    for first, second in _pairs(case):
        rates = [float(call.args[1]) for call in (first, second)]
        g1, g2 = _grads(first), _grads(second)
        used1, used2 = _steps(first) / -rates[0], _steps(second) / -rates[1]
        if constant_factor(used1, g1) is None:
            continue
        basis = torch.stack([g2, g1], dim=1)
        fitted = torch.linalg.lstsq(basis, used2.unsqueeze(1)).solution.squeeze(1)
        if close(basis @ fitted, used2, rtol=1e-3, atol=1e-4) and abs(float(fitted[1])) > 1e-3:
            return float(fitted[1])
    return None


def _pairs(case: Case) -> list[tuple[Observation, Observation]]:
    """A check's two calls on the same tensors; else two calls made here."""
    pairs = []
    for result in case.outcome.results:
        calls = [c for c in result.calls if c.function == case.exercise.name and c.raised is None]
        alike = len(calls) > 1 and len(calls[0].arguments) == len(calls[1].arguments)
        if alike and all(len(call.args) > 1 for call in calls[:2]):
            pairs.append((calls[0], calls[1]))
    own = _two_steps(case)
    return [*pairs, own] if own else pairs


def _two_steps(case: Case) -> tuple[Observation, Observation] | None:
    """Two steps on the same tensor objects, each with gradients of its own."""
    call = _first_call(case)
    if call is None or not isinstance(call.args[0], list | tuple):
        return None
    generator = torch.Generator().manual_seed(case.assignment.seed)
    case.student.begin(f"two steps {case.exercise.name}")
    calls: list[Observation] = []
    for lr in (0.5, 0.2):
        params = []
        for argument in call.arguments:
            p = argument.before.detach().clone().requires_grad_()
            p.grad = torch.randn(p.shape, generator=generator)
            params.append(p)
        again = calls[0].id if calls else ""
        record = case.student.run(case.exercise.name, [params, lr], again=again)
        if record.raised is not None or len(record.arguments) != len(params):
            return None
        calls.append(record)
    return calls[0], calls[1]


def _first_call(case: Case) -> Observation | None:
    for result in case.outcome.results:
        for call in result.calls:
            if call.function == case.exercise.name and call.raised is None and call.arguments:
                return call if len(call.args) > 1 else None
    return None


def _first_probe(case: Case) -> Probe | None:
    first = _first_call(case)
    if first is None:
        return None
    return Probe(
        float(first.args[1]),
        first,
        [a.before.detach().double() for a in first.arguments],
        [_grad(a).double() for a in first.arguments],
        [a.step.double() for a in first.arguments],
    )


def _grads(call: Observation) -> torch.Tensor:
    return torch.cat([_grad(a).double().reshape(-1) for a in call.arguments])


def _steps(call: Observation) -> torch.Tensor:
    return torch.cat([a.step.double().reshape(-1) for a in call.arguments])


def _grad(argument: Argument) -> torch.Tensor:
    grad = argument.before.grad
    return grad if grad is not None else torch.zeros_like(argument.before)
