from itertools import product

import torch


def relu(x):
    return torch.where(torch.gt(x, 0), x, torch.zeros_like(x))


def logistic(x):
    return 1 / (1 + torch.exp(-x))


def cross_entropy(y_pred, y):
    return -torch.mean(torch.xlogy(y, y_pred) + torch.xlogy(1 - y, 1 - y_pred))


def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)


def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p.sub_(lr * p.grad)
            p.grad.zero_()


def init_params(hidden=20):
    return [torch.randn(shape, requires_grad=True) for shape in ([2, hidden], [hidden], [hidden, 1], [1])]


def losses_while_training(params, X, Y, epochs, lr):
    for _, i in product(range(epochs), range(len(X))):
        loss = cross_entropy(forward(X[i], *params), Y[i])
        loss.backward()
        sgd(params, lr)
        yield loss.item()


def train(params, X, Y, epochs=100, lr=0.1):
    return list(losses_while_training(params, X, Y, epochs, lr))
