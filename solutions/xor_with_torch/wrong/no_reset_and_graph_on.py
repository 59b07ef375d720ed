# expect: train: gradient-not-reset, accuracy: graph-in-accuracy
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
    model = nn.Sequential(nn.Linear(2, W1.shape[-1]), nn.ReLU(), nn.Linear(W1.shape[-1], 1))
    model.load_state_dict({
        "0.weight": W1.T,
        "0.bias": b1,
        "2.weight": W2.T,
        "2.bias": b2,
    })
    return model


def loss_function():
    return F.binary_cross_entropy_with_logits


def train(model, X, y, epochs=100, lr=0.1):
    loss_fn = loss_function()
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    totals = []
    for epoch in range(epochs):
        total = 0.0
        for i in range(len(X)):
            loss = loss_fn(model(X[i:i+1]), y[i:i+1])
            loss.backward()
            optimizer.step()
            total += loss.item()
        totals.append(total)
    return totals


def accuracy(model, X, y):
    logits = model(X)
    return ((logits > 0) == (y > 0)).float().mean().item()
