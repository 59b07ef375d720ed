# -*- coding: utf-8 -*-
# translated from my numpy version
import numpy as np
import torch


def relu(x):
    zero = torch.from_numpy(np.zeros(1, dtype=np.float32))[0]
    return torch.maximum(x, zero.to(x.dtype))


def logistic(x):
    return 1 / (1 + torch.exp(-x))


def cross_entropy(y_pred, y):
    m = np.prod(y.shape)
    cost = -1 / float(m) * torch.sum(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred))
    return cost


def forward(X, W1, b1, W2, b2):
    Z1 = torch.matmul(X, W1) + b1
    A1 = relu(Z1)
    Z2 = torch.matmul(A1, W2) + b2
    A2 = logistic(Z2)
    return A2


def sgd(params, lr=0.1):
    # the array shares memory with the parameter
    for p in params:
        array = p.detach().numpy()
        array -= np.float32(lr) * p.grad.numpy()
        p.grad.numpy()[...] = 0


def init_params(hidden=20):
    rng = np.random.default_rng()
    W1 = rng.standard_normal((2, hidden)).astype(np.float32)
    b1 = np.zeros(hidden, dtype=np.float32)
    W2 = rng.standard_normal((hidden, 1)).astype(np.float32)
    b2 = np.zeros(1, dtype=np.float32)
    return [torch.from_numpy(a).requires_grad_() for a in (W1, b1, W2, b2)]


def train(params, X, Y, epochs=100, lr=0.1):
    losses = np.zeros(epochs * len(X))
    k = 0
    for _ in range(epochs):
        for i in range(len(X)):
            cost = cross_entropy(forward(X[i : i + 1], *params), Y[i : i + 1])
            cost.backward()
            losses[k] = cost.item()
            k += 1
            sgd(params, lr)
    return losses.tolist()
