import itertools as it

from torch import clamp, exp, log, no_grad, randn, zeros


def relu(x):
    return clamp(x, min=0)


def logistic(x):
    return 1 / (1 + exp(-x))


def cross_entropy(y_pred, y):
    return -(y * log(y_pred) + (1 - y) * log(1 - y_pred)).mean()


def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)


def sgd(params, lr=0.1):
    with no_grad():
        for p, g in [(p, p.grad) for p in params]:
            p.add_(g, alpha=-lr)
            g.zero_()


def init_params(hidden=20):
    return [
        randn(2, hidden, requires_grad=True),
        zeros(hidden, requires_grad=True),
        randn(hidden, 1, requires_grad=True),
        zeros(1, requires_grad=True),
    ]


def train(params, X, Y, epochs=100, lr=0.1):
    samples = list(zip(X.split(1), Y.split(1)))
    losses = []
    for x, y in it.islice(it.cycle(samples), epochs * len(samples)):
        loss = cross_entropy(forward(x, *params), y)
        loss.backward()
        losses.append(float(loss.detach()))
        sgd(params, lr)
    return losses
