# expect: make_model: none
import torch
from torch import nn


def make_model(hidden=20):
    return nn.Sequential(
        nn.Linear(2, hidden),
        nn.ReLU(),
        nn.Linear(hidden, hidden),
        nn.ReLU(),
        nn.Linear(hidden, 1),
    )


def to_library(W1, b1, W2, b2):
    hidden = len(b1)
    first, last = nn.Linear(2, hidden), nn.Linear(hidden, 1)
    first.weight.data = W1.detach().T.clone()
    first.bias.data = b1.detach().clone()
    last.weight.data = W2.detach().T.clone()
    last.bias.data = b2.detach().clone()
    return nn.Sequential(first, nn.ReLU(), last)


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
    with torch.inference_mode():
        right = (model(X) > 0) == (y > 0.5)
    return right.sum().item() / len(y)
