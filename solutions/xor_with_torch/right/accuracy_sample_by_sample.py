import torch
import torch.nn.functional as F
from torch import nn


def make_model(hidden=20):
    """2 -> hidden -> 1, the output is a logit"""
    model = nn.Sequential(nn.Linear(2, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, 1))
    return model


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
    right = 0
    with torch.no_grad():
        for i in range(len(X)):
            p = torch.sigmoid(model(X[i:i+1])).item()
            label = 1 if p > 0.5 else 0
            if label == int(y[i].item()):
                right += 1
    return right / len(X)
