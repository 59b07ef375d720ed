# expect: loss_function: squared-error-instead
import torch
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
    return nn.MSELoss()


def train(model, X, y, epochs=100, lr=0.1):
    loss_fn = loss_function()
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    totals = []
    for epoch in range(epochs):
        total = 0.0
        for i in range(len(X)):
            optimizer.zero_grad()
            loss = loss_fn(model(X[i:i+1]), y[i:i+1])
            loss.backward()
            optimizer.step()
            total += loss.item()
        totals.append(total)
    return totals


def accuracy(model, X, y):
    with torch.inference_mode():
        right = (model(X) > 0) == (y > 0.5)
    return right.sum().item() / len(y)
