# expect: loss_function: cross-entropy-sign
import torch
import torch.nn.functional as F
from torch import nn


def make_model(hidden=20):
    return nn.Sequential(
        nn.Linear(2, hidden),
        nn.ReLU(),
        nn.Linear(hidden, 1),
    )


def to_library(W1, b1, W2, b2):
    model = nn.Sequential(nn.Linear(2, W1.size(1)), nn.ReLU(), nn.Linear(W1.size(1), 1))
    with torch.no_grad():
        # Both matrices are stored the other way round.
        for p, value in zip(model.parameters(), (W1.t(), b1, W2.t(), b2)):
            p.copy_(value)
    return model


def loss_function():
    def loss(logits, y):
        return -F.binary_cross_entropy_with_logits(logits, y)

    return loss


def train(model, X, y, epochs=100, lr=0.1):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    loss_fn = loss_function()
    totals = []
    for _ in range(epochs):
        losses = []
        for xb, yb in zip(X.split(1), y.split(1)):
            optimizer.zero_grad()
            loss = loss_fn(model(xb), yb)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        totals.append(sum(losses))
    return totals


def accuracy(model, X, y):
    with torch.inference_mode():
        right = (model(X) > 0) == (y > 0.5)
    return right.sum().item() / len(y)
