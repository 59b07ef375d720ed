"""Updates that make their own gradient: what the right step says that gradient is."""

from __future__ import annotations

from typing import Any

import torch

from grader.misconceptions.case import Case

KIND = "descent"


def makes_own(case: Case) -> bool:
    """The exercise computes a loss of its own, so that its gradients are not given."""
    return case.exercise.kind == KIND


def one_step(case: Case, packed: Any, lr: float) -> list[Any]:
    """The arguments of a call that takes one step: whatever is counted, is counted once."""
    seen = next(
        (
            call.args
            for result in case.outcome.results
            for call in result.calls
            if call.function == case.exercise.name
        ),
        (),
    )
    more = [1 if isinstance(arg, int) else arg for arg in seen[2:]] if makes_own(case) else []
    return [packed, lr, *more]


def right_gradients(case: Case, params: list[torch.Tensor], lr: float) -> list[torch.Tensor] | None:
    """The gradients that the right step goes along, from how far it goes."""
    copies = [p.detach().clone().requires_grad_() for p in params]
    packed = copies if _takes_list(case) else copies[0]
    try:
        getattr(case.library, case.exercise.name)(*one_step(case, packed, lr))
    except Exception:
        return None
    return [
        (p.detach().double() - copy.detach().double()) / lr
        for p, copy in zip(params, copies, strict=True)
    ]


def _takes_list(case: Case) -> bool:
    return any(
        isinstance(call.args[0], list | tuple)
        for result in case.outcome.results
        for call in result.calls
        if call.function == case.exercise.name and call.args
    )


def along_each_other(a: list[torch.Tensor], b: list[torch.Tensor]) -> bool:
    """One is a multiple of the other, so that a step along one is a step along both."""
    first = torch.cat([one.reshape(-1).double() for one in a])
    second = torch.cat([one.reshape(-1).double() for one in b])
    size = float((second * second).sum())
    if size == 0:
        return False
    factor = float((first * second).sum()) / size
    return bool(torch.allclose(first, factor * second, rtol=1e-3, atol=1e-6))
