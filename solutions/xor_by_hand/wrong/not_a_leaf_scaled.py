# expect: init_params: parameter-not-a-leaf
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
    W1 = torch.randn(2, hidden, requires_grad=True) * 0.5
    b1 = torch.zeros(hidden, requires_grad=True)
    W2 = torch.randn(hidden, 1, requires_grad=True) * 0.5
    b2 = torch.zeros(1, requires_grad=True)
    return [W1, b1, W2, b2]


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
