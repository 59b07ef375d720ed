import torch
from torch import nn


def make_model(hidden=20):
    m = nn.Sequential()
    m.add_module("fc1", nn.Linear(2, hidden))
    m.add_module("relu", nn.ReLU())
    m.add_module("fc2", nn.Linear(hidden, 1))
    return m


def to_library(W1, b1, W2, b2):
    m = make_model(W1.shape[1])
    m.fc1.weight.data.copy_(W1.T.data)
    m.fc1.bias.data.copy_(b1.data)
    m.fc2.weight.data.copy_(W2.T.data)
    m.fc2.bias.data.copy_(b2.data)
    return m


def loss_function():
    criterion = nn.BCEWithLogitsLoss(reduction="mean")
    return criterion


def train(model, X, y, epochs=100, lr=0.1):
    loss = loss_function()
    sgd = torch.optim.SGD(model.parameters(), lr=lr)
    sums = []
    for _ in range(epochs):
        epoch_loss = 0.0
        for i in range(len(y)):
            l = loss(model(X[i:i + 1, :]), y[i:i + 1, :])
            l.backward()
            sgd.step()
            sgd.zero_grad()
            epoch_loss += float(l)
        sums.append(epoch_loss)
    return sums


def accuracy(model, X, y):
    with torch.no_grad():
        # the logistic is above 0.5 where the logit is above 0
        guess = (model(X) > 0).float()
    return (guess == y).float().mean().item()
