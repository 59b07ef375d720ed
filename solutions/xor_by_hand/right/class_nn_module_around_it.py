import torch
from torch import nn


class ReLUByHand(nn.Module):
    def forward(self, x):
        return torch.clamp(x, min=0)


relu = ReLUByHand()


class LogisticByHand(nn.Module):
    def forward(self, x):
        return 1 / (1 + torch.exp(-x))


logistic = LogisticByHand()


def cross_entropy(y_pred, y):
    return -(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred)).mean()


def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)


def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad
            p.grad.zero_()


class Net(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.W1 = nn.Parameter(torch.randn(2, hidden))
        self.b1 = nn.Parameter(torch.zeros(hidden))
        self.W2 = nn.Parameter(torch.randn(hidden, 1))
        self.b2 = nn.Parameter(torch.zeros(1))


def init_params(hidden=20):
    return list(Net(hidden).parameters())


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for x, y in zip(X, Y):
            loss = cross_entropy(forward(x, *params), y)
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
