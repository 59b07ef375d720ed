# expect: make_model: logistic-at-the-end
import torch
import torch.nn.functional as F
from torch import nn


def make_model(hidden=20):
    return nn.Sequential(nn.Linear(2, hidden), nn.ReLU(), nn.Linear(hidden, 1), nn.Sigmoid())


def to_library(W1, b1, W2, b2):
    model = make_model(W1.shape[1])
    with torch.no_grad():
        model[0].weight.copy_(W1.T)
        model[0].bias.copy_(b1)
        model[2].weight.copy_(W2.T)
        model[2].bias.copy_(b2)
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
            optimizer.zero_grad()
            loss = loss_fn(model(X[i:i+1]), y[i:i+1])
            loss.backward()
            optimizer.step()
            total += loss.item()
        totals.append(total)
    return totals


def accuracy(model, X, y):
    logits = model(X).detach()
    predicted = torch.sigmoid(logits).round()
    return float((predicted == y).float().mean())
