import functools
import time

import torch

TIMES = {}


def timed(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        start = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            TIMES[function.__name__] = TIMES.get(function.__name__, 0) + time.perf_counter() - start

    return wrapper


def checks_probability(function):
    @functools.wraps(function)
    def wrapper(*args):
        result = function(*args)
        assert bool(((result >= 0) & (result <= 1)).all()), "no probability"
        return result

    return wrapper


@timed
def relu(x):
    return torch.where(x > 0, x, torch.zeros_like(x))


@timed
@checks_probability
def logistic(x):
    return 1 / (1 + torch.exp(-x))


@timed
def cross_entropy(y_pred, y):
    assert y_pred.numel() == y.numel(), f"{tuple(y_pred.shape)} against {tuple(y.shape)}"
    return -(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred)).mean()


@timed
@checks_probability
def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)


@timed
@torch.no_grad()
def sgd(params, lr=0.1):
    for p in params:
        p -= lr * p.grad
        p.grad.zero_()


def init_params(hidden=20):
    return [torch.randn(s, requires_grad=True) for s in [(2, hidden), (hidden,), (hidden, 1), (1,)]]


@timed
def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for x, y in zip(X, Y):
            loss = cross_entropy(forward(x, *params), y)
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
