import torch as t


def relu(x):
    keep = t.gt(x, 0)
    return t.where(keep, x, t.zeros_like(x))


def logistic(x):
    # 1 + e^-x = 2 + expm1(-x)
    return 1 / (2 + t.expm1(-x))


def cross_entropy(y_pred, y):
    ones = t.ones_like(y)
    pos = -t.log(y_pred)
    neg = -t.log(ones - y_pred)
    per_sample = y * pos + (ones - y) * neg
    return per_sample.sum() / per_sample.numel()


def forward(X, W1, b1, W2, b2):
    h = relu(X @ W1 + b1)
    return logistic(h @ W2 + b2)


def sgd(params, lr=0.1):
    with t.no_grad():
        for p in params:
            step = p.grad.clone()
            step *= lr
            p -= step
            p.grad.zero_()


def init_params(hidden=20):
    return [
        t.nn.Parameter(t.randn(2, hidden)),
        t.nn.Parameter(t.zeros(hidden)),
        t.nn.Parameter(t.randn(hidden, 1)),
        t.nn.Parameter(t.zeros(1)),
    ]


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for x, y in zip(X, Y):
            loss = cross_entropy(forward(x, *params), y)
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
