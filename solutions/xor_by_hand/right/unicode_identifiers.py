"""Übung 7: XOR von Hand. Die Namen sind die aus dem Skript."""

import torch


def relu(x):
    return torch.where(x > 0, x, torch.zeros_like(x))


def σ(x):
    return 1 / (1 + torch.exp(-x))


def logistic(x):
    return σ(x)


def cross_entropy(ŷ, y):
    # −[y·ln ŷ + (1−y)·ln(1−ŷ)], gemittelt über die Beispiele
    return -(y * torch.log(ŷ) + (1 - y) * torch.log(1 - ŷ)).mean()


def forward(X, W1, b1, W2, b2):
    h = relu(X @ W1 + b1)
    return logistic(h @ W2 + b2)


def sgd(params, lr=0.1):
    η = lr
    with torch.no_grad():
        for θ in params:
            θ -= η * θ.grad
            θ.grad.zero_()


def init_params(hidden=20):
    W1 = torch.randn(2, hidden, requires_grad=True)
    b1 = torch.zeros(hidden, requires_grad=True)
    W2 = torch.randn(hidden, 1, requires_grad=True)
    b2 = torch.zeros(1, requires_grad=True)
    return [W1, b1, W2, b2]


def train(params, X, Y, epochs=100, lr=0.1):
    verläufe = []
    for _ in range(epochs):
        for x, y in zip(X, Y):
            ℓ = cross_entropy(forward(x, *params), y)
            ℓ.backward()
            verläufe.append(ℓ.item())
            sgd(params, lr)
    print("fertig ✓")
    return verläufe
