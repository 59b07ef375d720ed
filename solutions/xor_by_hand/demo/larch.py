# Invented for the demonstration: the tape is cut in the loss, and forward turns to float64.
import numpy as np
import torch


def relu(x):
    return torch.clamp(x, min=0)


def logistic(x):
    return 1.0 / (1.0 + torch.exp(-x))


def cross_entropy(y_pred, y):
    p = y_pred.detach().numpy()
    t = y.detach().numpy()
    cost = -np.mean(t * np.log(p) + (1 - t) * np.log(1 - p))
    return torch.tensor(cost, requires_grad=True)


def forward(X, W1, b1, W2, b2):
    one = torch.tensor(np.array([1.0]))
    hidden = relu(X @ W1 + b1)
    return one * logistic(hidden @ W2 + b2)


def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad
            p.grad.zero_()


def init_params(hidden=20):
    torch.manual_seed(3)
    W1 = torch.randn(2, hidden, requires_grad=True)
    b1 = torch.zeros(hidden, requires_grad=True)
    W2 = torch.randn(hidden, 1, requires_grad=True)
    b2 = torch.zeros(1, requires_grad=True)
    return [W1, b1, W2, b2]


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for i in range(len(X)):
            loss = cross_entropy(forward(X[[i]], *params), Y[[i]])
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
