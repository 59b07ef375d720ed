import math

import torch

E = math.e


def relu(x):
    return 0.5 * (x + x.abs())


def logistic(x):
    return 1 / (1 + E ** (-x))


def cross_entropy(y_pred, y):
    # p^y (1-p)^(1-y) is the probability of the label
    probability = y_pred ** y * (1 - y_pred) ** (1 - y)
    return -probability.log().mean()


def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)


def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad
            p.grad *= 0


def init_params(hidden=20):
    limit_1 = math.sqrt(6 / (2 + hidden))
    limit_2 = math.sqrt(6 / (hidden + 1))
    W1 = torch.empty(2, hidden).uniform_(-limit_1, limit_1).requires_grad_()
    W2 = torch.empty(hidden, 1).uniform_(-limit_2, limit_2).requires_grad_()
    b1 = torch.zeros(hidden).requires_grad_()
    b2 = torch.zeros(1).requires_grad_()
    return [W1, b1, W2, b2]


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for i in range(len(X)):
            loss = cross_entropy(forward(X[i], *params), Y[i])
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
