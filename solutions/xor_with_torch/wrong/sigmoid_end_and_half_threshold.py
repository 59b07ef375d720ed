# expect: make_model: logistic-at-the-end, accuracy: logits-thresholded-at-half
import torch
import torch.nn.functional as F
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
    def loss(logits, y):
        return F.binary_cross_entropy_with_logits(logits, y)

    return loss


def train(model, X, y, epochs=100, lr=0.1):
    criterion = loss_function()
    opt = torch.optim.SGD(model.parameters(), lr)
    history = []
    for _ in range(epochs):
        running = 0.0
        for i in range(X.shape[0]):
            out = model(X[i : i + 1])
            loss = criterion(out, y[i : i + 1])
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item()
        history.append(running)
    return history


def accuracy(model, X, y):
    with torch.no_grad():
        p = model(X)
    return ((p > 0.5).float() == y).float().mean().item()
