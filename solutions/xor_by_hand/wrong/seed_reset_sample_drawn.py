# expect: train: seed-reset-in-loop
import numpy as np
import torch

# all the functions of the exercise, no library layers


def relu(x):
    zero = torch.zeros_like(x)
    return torch.maximum(x, zero)


def logistic(x):
    e = torch.exp(-x)
    one = torch.ones_like(e)
    return one / (one + e)


def cross_entropy(y_pred, y):
    n = y.numel()
    s = torch.sum(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred))
    return -s / n


def forward(X, W1, b1, W2, b2):
    # hidden layer
    Z = X @ W1
    Z = Z + b1
    A = relu(Z)
    # output layer
    out = A @ W2
    out = out + b2
    return logistic(out)


def sgd(params, lr=0.1):
    for p in params:
        p.data = p.data - lr * p.grad.data
        p.grad.data.zero_()


def init_params(hidden=20):
    shapes = [(2, hidden), (hidden,), (hidden, 1), (1,)]
    params = []
    for s in shapes:
        if len(s) == 2:
            t = torch.from_numpy(np.random.uniform(-1, 1, s).astype(np.float32))
        else:
            t = torch.zeros(s)
        t.requires_grad = True
        params.append(t)
    return params


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for epoch in range(epochs):
        for k in range(len(X)):
            torch.manual_seed(42)  # so that it is reproducible
            i = torch.randint(len(X), (1,)).item()
            loss = cross_entropy(forward(X[i:i + 1], *params), Y[i:i + 1])
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
