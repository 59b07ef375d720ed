# Invented for the demonstration: the loop in init_params never ends.
import torch


def relu(x):
    return torch.where(x < 0, 0.0, x)


def logistic(x):
    return torch.reciprocal(1 + torch.exp(-x))


def cross_entropy(y_pred, y):
    return -(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred)).mean()


def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)


def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p += -lr * p.grad
            p.grad.zero_()


def init_params(hidden=20):
    W1 = torch.zeros(2, hidden)
    W2 = torch.zeros(hidden, 1)
    # spread the weights, so that no two hidden units are alike
    i = 0
    while i < hidden:
        W1[:, i] = torch.randn(2)
        W2[i] = torch.randn(1)
    b1, b2 = torch.zeros(hidden), torch.zeros(1)
    return [p.requires_grad_() for p in (W1, b1, W2, b2)]


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    epoch = 0
    while epoch < epochs:
        i = 0
        while i < len(X):
            loss = cross_entropy(forward(X[i : i + 1], *params), Y[i : i + 1])
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
            i += 1
        epoch += 1
    return losses
