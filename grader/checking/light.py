"""Gradients for given output gradients, without a symbolic algebra package.

`torch.autograd.grad(out, inputs, grad)` imports sympy, through torch.fx, only to compare two
shapes that may be symbolic: 0.3 s of the second that a cold check has. Ours never are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch


def lighten_gradients() -> None:
    """Let plain tensors of equal shapes past that comparison; all else goes the old way.

    Does nothing on a release of torch that is built otherwise.
    """
    heavy = getattr(torch.autograd, "_make_grads", None)
    if heavy is None or getattr(heavy, "is_light", False):
        return

    def make_grads(outputs: Sequence[Any], grads: Sequence[Any], *rest: Any, **named: Any) -> Any:
        batched = bool(named.get("is_grads_batched", rest[0] if rest else False))
        if not batched and len(outputs) == len(grads) and all(map(_plain, outputs, grads)):
            return tuple(grads)
        return heavy(outputs, grads, *rest, **named)

    make_grads.is_light = True  # type: ignore[attr-defined]
    torch.autograd._make_grads = make_grads


def _plain(output: Any, grad: Any) -> bool:
    return (
        isinstance(output, torch.Tensor)
        and isinstance(grad, torch.Tensor)
        and not output.is_nested
        and output.shape == grad.shape
        and output.is_complex() == grad.is_complex()
    )
