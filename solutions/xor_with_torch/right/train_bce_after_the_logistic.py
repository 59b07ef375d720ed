import torch
from torch import nn


def make_model(hidden=20):
    """2 -> hidden -> 1, the output is a logit"""
    model = nn.Sequential(nn.Linear(2, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, 1))
    return model


def to_library(W1, b1, W2, b2):
    hidden = len(b1)
    first, last = nn.Linear(2, hidden), nn.Linear(hidden, 1)
    first.weight.data = W1.detach().T.clone()
    first.bias.data = b1.detach().clone()
    last.weight.data = W2.detach().T.clone()
    last.bias.data = b2.detach().clone()
    return nn.Sequential(first, nn.ReLU(), last)


def loss_function():
    criterion = nn.BCEWithLogitsLoss(reduction="mean")
    return criterion


def train(model, X, y, epochs=100, lr=0.1):
    criterion = nn.BCELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    totals = []
    for _ in range(epochs):
        total = 0.0
        for i in range(len(X)):
            p = torch.sigmoid(model(X[i:i+1]))
            loss = criterion(p, y[i:i+1])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        totals.append(total)
    return totals


def accuracy(model, X, y):
    with torch.no_grad():
        # the logistic is above 0.5 where the logit is above 0
        guess = (model(X) > 0).float()
    return (guess == y).float().mean().item()
