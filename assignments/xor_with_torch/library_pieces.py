"""The exercises once more, by hand: what the library's pieces must agree with.

These are the public oracle, and they stand in for an exercise that lost points while the
exercises built on it are judged. They are no solution: here it is the library's pieces that each
exercise asks for, and these functions do without them.
"""

import torch
from torch import nn


class Affine(nn.Module):
    """x @ weight.T + bias, with the weight stored as nn.Linear stores it, (outputs, inputs)."""

    def __init__(self, weight, bias):
        super().__init__()
        self.weight = nn.Parameter(weight)
        self.bias = nn.Parameter(bias)

    def forward(self, x):
        return x @ self.weight.T + self.bias


class Bend(nn.Module):
    """max(x, 0), elementwise."""

    def forward(self, x):
        return x.clamp(min=0)


def make_model(hidden=20):
    """Two affine maps with a bend between them; they start as nn.Linear would."""

    def uniform(bound, *shape):
        return (2 * torch.rand(shape) - 1) * bound

    first, second = 2**-0.5, hidden**-0.5
    return nn.Sequential(
        Affine(uniform(first, hidden, 2), uniform(first, hidden)),
        Bend(),
        Affine(uniform(second, 1, hidden), uniform(second, 1)),
    )


def to_library(W1, b1, W2, b2):
    """The same maps with copies of these weights, transposed."""
    first = Affine(W1.detach().T.clone(), b1.detach().clone())
    return nn.Sequential(first, Bend(), Affine(W2.detach().T.clone(), b2.detach().clone()))


def loss_function():
    """Binary cross-entropy on logits, as max(z, 0) - z y + log(1 + exp(-|z|)), the mean."""

    def loss(logits, y):
        overflow = torch.log1p(torch.exp(-logits.abs()))
        return (logits.clamp(min=0) - logits * y + overflow).mean()

    return loss


def train(model, X, y, epochs=100, lr=0.1):
    """One step a sample, in the given order; the sum of the losses before each step."""
    loss = loss_function()
    params = list(model.parameters())
    totals = []
    for _ in range(epochs):
        total = 0.0
        for i in range(len(X)):
            cost = loss(model(X[i : i + 1]), y[i : i + 1])
            slopes = torch.autograd.grad(cost, params)
            with torch.no_grad():
                for p, slope in zip(params, slopes, strict=True):
                    p -= lr * slope
            total += cost.item()
        totals.append(total)
    return totals


def accuracy(model, X, y):
    """The share of logits on their label's side of 0, from the parameters and without the model."""
    W1, b1, W2, b2 = (p.detach() for p in model.parameters())
    logits = (X @ W1.T + b1).clamp(min=0) @ W2.T + b2
    wrong = ((logits > 0) != (y > 0.5)).sum().item()
    return 1 - wrong / len(y)
