from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import torch


@dataclass
class History:
    losses: list[float] = field(default_factory=list)
    best: float = float("inf")

    def add(self, loss: float) -> None:
        self.losses.append(loss)
        self.best = min(self.best, loss)


class Parameters(NamedTuple):
    W1: torch.Tensor
    b1: torch.Tensor
    W2: torch.Tensor
    b2: torch.Tensor


def relu(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x > 0, x, torch.zeros_like(x))


def logistic(x: torch.Tensor) -> torch.Tensor:
    return 1 / (1 + torch.exp(-x))


def cross_entropy(y_pred: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return -(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred)).mean()


def forward(X, W1, b1, W2, b2) -> torch.Tensor:
    return logistic(relu(X @ W1 + b1) @ W2 + b2)


def sgd(params: Parameters | list[torch.Tensor], lr: float = 0.1) -> None:
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad
            p.grad.zero_()


def init_params(hidden: int = 20) -> list[torch.Tensor]:
    W1 = torch.randn(2, hidden, requires_grad=True)
    b1 = torch.zeros(hidden, requires_grad=True)
    W2 = torch.randn(hidden, 1, requires_grad=True)
    b2 = torch.zeros(1, requires_grad=True)
    return [W1, b1, W2, b2]


def train(params, X, Y, epochs: int = 100, lr: float = 0.1) -> list[float]:
    net = Parameters(*params)
    history = History()
    for _ in range(epochs):
        for x, y in zip(X, Y):
            loss = cross_entropy(forward(x, *net), y)
            loss.backward()
            history.add(loss.item())
            sgd(net, lr)
    return history.losses
