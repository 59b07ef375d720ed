"""Joins what a worker returned to the trusted graph: its backward is a call to the worker."""

from __future__ import annotations

from typing import Any, Protocol

import torch

from grader.errors import GraderFailed, StudentError
from grader.observation import Observation
from grader.student.worker import messages as m


class Gradients(Protocol):
    """Asks for gradients of an earlier call's tensor arguments."""

    def gradients(self, call: str, grads: Any) -> list[torch.Tensor | None] | m.Raised: ...


class Graft:
    """Joins a call's outputs to the trusted graph: their backward asks the worker."""

    def __init__(
        self,
        student: Gradients,
        call: str,
        arguments: list[torch.Tensor],
        raised: list[m.Raised],
    ) -> None:
        self.student = student
        self.call = call
        self.arguments = arguments
        self.raised = raised

    def onto(self, outputs: list[tuple[torch.Tensor, m.TensorValue]]) -> list[torch.Tensor]:
        if not any(value.requires_grad for _, value in outputs):
            return [tensor for tensor, _ in outputs]
        if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in self.arguments):
            cut = [not value.requires_grad for _, value in outputs]
            tensors = tuple(tensor for tensor, _ in outputs)
            return list(_RemoteCall.apply(self, tensors, cut, *self.arguments))  # type: ignore[no-untyped-call]
        return [_leaf_or_not(tensor, value) for tensor, value in outputs]


def _leaf_or_not(tensor: torch.Tensor, value: m.TensorValue) -> torch.Tensor:
    if not value.requires_grad or not tensor.is_floating_point():
        return tensor
    tensor.requires_grad_()
    return tensor if value.is_leaf else tensor.clone()


class _RemoteCall(torch.autograd.Function):
    """The identity on values that are already there; backward asks the worker."""

    @staticmethod
    def forward(
        ctx: Any,
        graft: Graft,
        outputs: tuple[torch.Tensor, ...],
        cut: list[bool],
        *arguments: torch.Tensor,
    ) -> tuple[torch.Tensor, ...]:
        ctx.graft = graft
        ctx.set_materialize_grads(False)
        # Integer tensors are never differentiable, whatever a worker says.
        ctx.mark_non_differentiable(
            *[
                tensor
                for tensor, is_cut in zip(outputs, cut, strict=True)
                if is_cut or not (tensor.is_floating_point() or tensor.is_complex())
            ]
        )
        return outputs

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor | None) -> Any:
        graft: Graft = ctx.graft
        with torch.no_grad():
            found = graft.student.gradients(graft.call, grads)
        if isinstance(found, m.Raised):
            graft.raised.append(found)
            raise StudentError(Observation(graft.call, "backward", (), {}, raised=found))
        if len(found) != len(graft.arguments):
            found = [None] * len(graft.arguments)
        fitting = [
            grad if grad is not None and grad.shape == arg.shape and arg.requires_grad else None
            for grad, arg in zip(found, graft.arguments, strict=True)
        ]
        if torch.is_grad_enabled():
            # Asked for with create_graph: said where a second derivative is taken, if ever.
            fitting = [None if grad is None else _once(grad) for grad in fitting]
        return (None, None, None, *fitting)


def _once(grad: torch.Tensor) -> Any:
    return _Once.apply(grad.requires_grad_())  # type: ignore[no-untyped-call]


class _Once(torch.autograd.Function):
    """The identity on a gradient that has none of its own: the graph behind it is the worker's."""

    @staticmethod
    def forward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad.clone()

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        raise GraderFailed(
            "a check differentiates twice: a submission's functions have first derivatives only"
        )
