# expect: train: first-sample-only
import math

import torch as th


relu = lambda t: th.where(t < 0, 0.0 * t, t)


def logistic(x):
    return th.exp(x) / (1 + th.exp(x))


def cross_entropy(y_pred, y):
    p, t = y_pred.reshape(-1), y.reshape(-1)
    total = 0.0
    for k in range(len(t)):
        total = total - (t[k] * th.log(p[k]) + (1 - t[k]) * th.log(1 - p[k]))
    return total / len(t)


def forward(X, W1, b1, W2, b2):
    return logistic(th.add(th.matmul(relu(th.add(th.matmul(X, W1), b1)), W2), b2))


@th.no_grad()
def sgd(params, lr=0.1):
    for w in params:
        w[...] = w - lr * w.grad
        w.grad.fill_(0)


def init_params(hidden=20):
    bound = 1 / math.sqrt(2)
    W1 = th.rand(2, hidden) * 2 * bound - bound
    W2 = th.rand(hidden, 1) * 2 * bound - bound
    return [w.requires_grad_() for w in (W1, th.zeros(hidden), W2, th.zeros(1))]


def train(params, X, Y, epochs=100, lr=0.1):
    out = []
    for _ in range(epochs * len(X)):
        x, y = next(iter(zip(X, Y)))
        loss = cross_entropy(forward(x.unsqueeze(0), *params), y.unsqueeze(0))
        loss.backward()
        out.append(loss.item())
        sgd(params, lr)
    return out
