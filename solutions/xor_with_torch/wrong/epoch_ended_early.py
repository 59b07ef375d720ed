# expect: train: samples-left-out
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
    hidden = W1.shape[1]
    model = nn.Sequential(nn.Linear(2, hidden), nn.ReLU(), nn.Linear(hidden, 1))
    model[0].weight = nn.Parameter(W1.detach().clone().T)
    model[0].bias = nn.Parameter(b1.detach().clone())
    model[2].weight = nn.Parameter(W2.detach().clone().T)
    model[2].bias = nn.Parameter(b2.detach().clone())
    return model


def loss_function():
    def loss(logits, y):
        return F.binary_cross_entropy_with_logits(logits, y)

    return loss


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
            if loss.item() < 0.3:
                break
        totals.append(total)
    return totals


def accuracy(model, X, y):
    with torch.no_grad():
        p = torch.sigmoid(model(X))
    return ((p > 0.5).float() == y).float().mean().item()
