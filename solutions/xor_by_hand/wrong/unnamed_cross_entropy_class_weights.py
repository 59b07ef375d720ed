# expect: cross_entropy: none
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
    return -(0.7 * y * torch.log(y_pred) + 0.3 * (1 - y) * torch.log(1 - y_pred)).mean()


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
    W1, b1, W2, b2 = params
    losses = []
    n = X.shape[0]
    for e in range(epochs):
        for i in range(n):
            xi = X[i].reshape(1, 2)
            yi = Y[i].reshape(1, 1)
            p = forward(xi, W1, b1, W2, b2)
            L = cross_entropy(p, yi)
            L.backward()
            losses.append(L.detach().numpy().item())
            sgd(params, lr)
    return losses
