# Invented for the demonstration: the model ends with a logistic that the loss applies once more.
import torch
from torch import nn


class Network(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.first = nn.Linear(2, hidden)
        self.last = nn.Linear(hidden, 1)

    def forward(self, x):
        return torch.sigmoid(self.last(torch.relu(self.first(x))))


def make_model(hidden=20):
    return Network(hidden)


def to_library(W1, b1, W2, b2):
    model = Network(W1.shape[1])
    with torch.no_grad():
        model.first.weight.copy_(W1.T)
        model.first.bias.copy_(b1)
        model.last.weight.copy_(W2.T)
        model.last.bias.copy_(b2)
    return model


def loss_function():
    return nn.BCEWithLogitsLoss()


def train(model, X, y, epochs=100, lr=0.1):
    criterion = loss_function()
    optimizer = torch.optim.SGD(model.parameters(), lr)
    totals = []
    for _ in range(epochs):
        total = 0.0
        for x, label in zip(X.split(1), y.split(1)):
            loss = criterion(model(x), label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        totals.append(total)
    return totals


def accuracy(model, X, y):
    with torch.no_grad():
        right = (model(X) > 0) == (y > 0.5)
    return right.float().mean().item()
