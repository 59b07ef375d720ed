# Invented for the demonstration: the gradients pile up, because nothing resets them.
import torch


def relu(x):
    return torch.where(x > 0, x, torch.zeros_like(x))


def logistic(x):
    e = torch.exp(-x)
    return 1 / (1 + e)


def cross_entropy(y_pred, y):
    return -torch.mean(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred))


def forward(X, W1, b1, W2, b2):
    z1 = X @ W1 + b1
    a1 = relu(z1)
    z2 = a1 @ W2 + b2
    return logistic(z2)


def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad  # the step


def init_params(hidden=20):
    W1 = torch.randn(2, hidden)
    b1 = torch.zeros(hidden)
    W2 = torch.randn(hidden, 1)
    b2 = torch.zeros(1)
    params = [W1, b1, W2, b2]
    for p in params:
        p.requires_grad_(True)
    return params


def train(params, X, Y, epochs=100, lr=0.1):
    history = []
    for epoch in range(epochs):
        for i in range(len(X)):
            out = forward(X[i : i + 1], *params)
            loss = cross_entropy(out, Y[i : i + 1])
            loss.backward()
            history.append(loss.item())
            sgd(params, lr)
    return history
