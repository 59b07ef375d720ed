"""The logistic function without overflow.

For x >= 0 use 1 / (1 + e^-x), for x < 0 use e^x / (1 + e^x). torch.where computes both
sides, so each side gets an input that has been made harmless first: otherwise inf * 0 = nan
in the backward pass.
"""

import torch


def relu(x):
    return torch.where(x > 0, x, torch.zeros((), dtype=x.dtype))


def logistic(x):
    positive = x >= 0
    x_pos = torch.where(positive, x, torch.zeros_like(x))
    x_neg = torch.where(positive, torch.zeros_like(x), x)
    e_neg = torch.exp(x_neg)
    return torch.where(positive, 1 / (1 + torch.exp(-x_pos)), e_neg / (1 + e_neg))


def cross_entropy(y_pred, y):
    # never log(0): y_pred stays inside [1e-7, 1 - 1e-7]
    safe = y_pred.clamp(min=1e-7, max=1 - 1e-7)
    return -(y * safe.log() + (1 - y) * (1 - safe).log()).mean()


def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)


@torch.no_grad()
def sgd(params, lr=0.1):
    for p in params:
        p -= lr * p.grad
        p.grad.zero_()


def init_params(hidden=20):
    W1 = torch.randn(2, hidden, requires_grad=True)
    b1 = torch.zeros(hidden, requires_grad=True)
    W2 = torch.randn(hidden, 1, requires_grad=True)
    b2 = torch.zeros(1, requires_grad=True)
    return [W1, b1, W2, b2]


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for i in range(len(X)):
            loss = cross_entropy(forward(X[i : i + 1], *params), Y[i : i + 1])
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
