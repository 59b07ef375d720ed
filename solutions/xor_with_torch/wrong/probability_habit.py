# expect: make_model: logistic-at-the-end, loss_function: loss-for-probabilities, accuracy: logits-thresholded-at-half
import torch
from torch import nn


def make_model(hidden=20):
    return nn.Sequential(nn.Linear(2, hidden), nn.ReLU(), nn.Linear(hidden, 1), nn.Sigmoid())


def to_library(W1, b1, W2, b2):
    hidden = len(b1)
    first, last = nn.Linear(2, hidden), nn.Linear(hidden, 1)
    first.weight.data = W1.detach().T.clone()
    first.bias.data = b1.detach().clone()
    last.weight.data = W2.detach().T.clone()
    last.bias.data = b2.detach().clone()
    return nn.Sequential(first, nn.ReLU(), last)


def loss_function():
    return nn.BCELoss()


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
        return (model(X).round() == y).float().mean().item()
