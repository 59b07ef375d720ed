import torch
from torch import nn


def make_model(hidden=20):
    layers = [nn.Linear(2, hidden), nn.ReLU(), nn.Linear(hidden, 1)]
    return nn.Sequential(*layers)


def to_library(W1, b1, W2, b2):
    inputs, hidden = W1.shape
    model = nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, 1))
    with torch.no_grad():
        for unit in range(hidden):
            for i in range(inputs):
                model[0].weight[unit, i] = W1[i, unit]
            model[0].bias[unit] = b1[unit]
            model[2].weight[0, unit] = W2[unit, 0]
        model[2].bias[0] = b2[0]
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
    with torch.inference_mode():
        right = (model(X) > 0) == (y > 0.5)
    return right.sum().item() / len(y)
