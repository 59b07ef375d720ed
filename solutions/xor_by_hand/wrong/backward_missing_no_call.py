# expect: train: backward-missing
"""Homework: XOR by hand."""
import torch
from torch import Tensor


def relu(x: Tensor) -> Tensor:
    """max(0, x), entry by entry"""
    return x.clamp(min=0)


def logistic(x: Tensor) -> Tensor:
    """1 / (1 + e^-x)"""
    return torch.exp(-x).add(1).reciprocal()


def cross_entropy(y_pred: Tensor, y: Tensor) -> Tensor:
    """mean binary cross-entropy"""
    positive = y * y_pred.log()
    negative = (1 - y) * (1 - y_pred).log()
    return -torch.mean(positive + negative)


def forward(X: Tensor, W1: Tensor, b1: Tensor, W2: Tensor, b2: Tensor) -> Tensor:
    """2 -> hidden -> 1, probabilities"""
    z1 = torch.matmul(X, W1) + b1
    a1 = relu(z1)
    z2 = torch.matmul(a1, W2) + b2
    return logistic(z2)


@torch.no_grad()
def sgd(params: list[Tensor], lr: float = 0.1) -> None:
    """one step of gradient descent, in place"""
    for param in params:
        param.sub_(param.grad, alpha=lr)
        param.grad = None


def init_params(hidden: int = 20) -> list[Tensor]:
    W1 = (torch.randn(2, hidden) * 0.7).requires_grad_()
    b1 = torch.zeros(hidden).requires_grad_()
    W2 = (torch.randn(hidden, 1) * 0.3).requires_grad_()
    b2 = torch.zeros(1).requires_grad_()
    return [W1, b1, W2, b2]


def train(params, X, Y, epochs=100, lr=0.1):
    history = []
    for _ in range(epochs):
        for x, y in zip(X, Y):
            loss = cross_entropy(forward(x, *params), y)
            history.append(float(loss))
            loss.backward
            sgd(params, lr)
    return history
