# Invented for the demonstration: sgd makes new tensors, and the caller's never move.
import torch


def relu(x):
    return torch.maximum(x, torch.zeros_like(x))


def logistic(x):
    return torch.exp(x) / (1 + torch.exp(x))


def cross_entropy(y_pred, y):
    costs = -(y * torch.log(y_pred)) - (1 - y) * torch.log(1 - y_pred)
    return costs.sum() / costs.numel()


def forward(X, W1, b1, W2, b2):
    return logistic(torch.matmul(relu(torch.matmul(X, W1) + b1), W2) + b2)


def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p = p - lr * p.grad


def init_params(hidden=20):
    W1 = torch.rand(2, hidden, requires_grad=True)
    b1 = torch.rand(hidden, requires_grad=True)
    W2 = torch.rand(hidden, 1, requires_grad=True)
    b2 = torch.rand(1, requires_grad=True)
    return W1, b1, W2, b2


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for i in range(X.shape[0]):
            x, y = X[i : i + 1], Y[i : i + 1]
            for p in params:
                p.grad = None
            loss = cross_entropy(forward(x, *params), y)
            loss.backward()
            losses.append(float(loss))
            sgd(params, lr)
    return losses
