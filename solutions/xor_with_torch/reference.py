"""The model answer, from PyTorch's own pieces."""

import torch
import torch.nn.functional as F
from torch import nn


def make_model(hidden=20):
    return nn.Sequential(nn.Linear(2, hidden), nn.ReLU(), nn.Linear(hidden, 1))


def to_library(W1, b1, W2, b2):
    with torch.no_grad():
        model = make_model(W1.shape[1])
        for p, value in zip(model.parameters(), (W1.T, b1, W2.T, b2), strict=True):
            p.copy_(value)
    return model


def loss_function():
    return F.binary_cross_entropy_with_logits


def train(model, X, y, epochs=100, lr=0.1):
    loss, optimizer = loss_function(), torch.optim.SGD(model.parameters(), lr=lr)
    totals = []
    for _ in range(epochs):
        losses = []
        for i in range(len(X)):
            optimizer.zero_grad()
            cost = loss(model(X[i : i + 1]), y[i : i + 1])
            cost.backward()
            losses.append(cost.item())
            optimizer.step()
        totals.append(sum(losses))
    return totals


def accuracy(model, X, y):
    with torch.no_grad():
        return (torch.sigmoid(model(X)).round() == y).float().mean().item()
