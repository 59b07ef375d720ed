# expect: cross_entropy: argument-changed
import math

import torch as th
import torch


relu = lambda t: th.where(t < 0, 0.0 * t, t)


def logistic(x):
    return th.exp(x) / (1 + th.exp(x))


def cross_entropy(y_pred, y):
    # turn p into the probability of the right label, then one log is enough
    y_pred[y == 0] = 1 - y_pred[y == 0]
    return -torch.log(y_pred).mean()


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
    for _ in range(epochs):
        for i, x in enumerate(X):
            y_hat = forward(x.unsqueeze(0), *params)
            loss = cross_entropy(y_hat, Y[i].unsqueeze(0))
            loss.backward()
            out.append(loss.item())
            sgd(params, lr)
    return out
