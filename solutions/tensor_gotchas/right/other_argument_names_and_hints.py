from __future__ import annotations

import numpy as np
import torch
from torch import Tensor


def to_float32(a: np.ndarray) -> Tensor:
    return torch.tensor(a, dtype=torch.float32, requires_grad=False)


def predict(data: Tensor, weights: Tensor) -> Tensor:
    return data.to(dtype=weights.dtype) @ weights


def z_and_gradients(first: Tensor, second: Tensor) -> tuple[float, float, float]:
    z: Tensor = first * second + first.square()
    z.backward()
    assert first.grad is not None and second.grad is not None
    return z.item(), first.grad.item(), second.grad.item()


def accumulated(leaf: Tensor, n: int) -> list[float]:
    out: list[float] = []
    for i in range(1, n + 1):
        leaf.square().backward()
        out.append(leaf.grad.item())
        print("pass", i, out[-1])
    return out


def fresh(leaf: Tensor, n: int) -> list[float]:
    out: list[float] = []
    for i in range(n):
        leaf.square().backward()
        out.append(leaf.grad.item())
        leaf.grad.zero_()
    return out


def update(leaf: Tensor, rate: float) -> None:
    leaf.square().sum().backward()
    with torch.no_grad():
        leaf -= rate * leaf.grad
        leaf.grad.zero_()


def record_losses(leaf: Tensor, rate: float, n: int) -> list[float]:
    out: list[float] = []
    for _ in range(n):
        loss = leaf.square().sum()
        out.append(loss.item())
        loss.backward()
        with torch.no_grad():
            leaf -= rate * leaf.grad
            leaf.grad.zero_()
    return out


def gradient_of_middle(leaf: Tensor) -> Tensor:
    middle = leaf.square()
    middle.retain_grad()
    middle.square().sum().backward()
    return middle.grad


def affine(data: Tensor, weights: Tensor, shift: Tensor) -> Tensor:
    return data @ weights + shift


def leaves_of(tensor: Tensor) -> set[Tensor]:
    return {leaf for leaf, _ in _graph(tensor) if leaf is not None}


def operations_of(tensor: Tensor) -> set[str]:
    return {name for leaf, name in _graph(tensor) if leaf is None}


def _graph(tensor: Tensor) -> list[tuple[Tensor | None, str]]:
    nodes = [tensor.grad_fn]
    for node in nodes:
        nodes += [n for n, _ in node.next_functions if n is not None and n not in nodes]
    return [(getattr(node, "variable", None), node.name()[:-1]) for node in nodes]
