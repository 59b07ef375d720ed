import torch
from torch import nn


def make_model(hidden=20):
    layers = [nn.Linear(2, hidden), nn.ReLU(), nn.Linear(hidden, 1)]
    return nn.Sequential(*layers)


def to_library(W1, b1, W2, b2):
    model = nn.Sequential(nn.Linear(2, W1.size(1)), nn.ReLU(), nn.Linear(W1.size(1), 1))
    with torch.no_grad():
        # Both matrices are stored the other way round.
        for p, value in zip(model.parameters(), (W1.t(), b1, W2.t(), b2)):
            p.copy_(value)
    return model


def loss_function():
    return nn.BCEWithLogitsLoss()


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
    with torch.set_grad_enabled(False):
        guess = torch.where(model(X) > 0, 1.0, 0.0)
        return 1 - (guess - y).abs().mean().item()
