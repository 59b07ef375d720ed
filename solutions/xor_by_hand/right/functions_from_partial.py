from functools import partial, reduce

import torch

relu = partial(torch.clamp, min=0)


def logistic(x):
    return torch.exp(x) / (1 + torch.exp(x))


def weighted_log(p, weight):
    return weight * torch.log(p)


def cross_entropy(y_pred, y):
    one = partial(weighted_log, weight=y)
    zero = partial(weighted_log, weight=1 - y)
    return -(one(y_pred) + zero(1 - y_pred)).mean()


def forward(X, W1, b1, W2, b2):
    layers = [(W1, b1, relu), (W2, b2, logistic)]
    return reduce(lambda a, layer: layer[2](a @ layer[0] + layer[1]), layers, X)


def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad
            p.grad = None


leaf = partial(torch.randn, requires_grad=True)


def init_params(hidden=20):
    return [leaf(2, hidden), leaf(hidden), leaf(hidden, 1), leaf(1)]


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    predict = lambda x: forward(x, *params)
    for _ in range(epochs):
        for x, y in zip(X, Y):
            loss = cross_entropy(predict(x), y)
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
