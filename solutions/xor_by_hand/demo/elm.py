# Invented for the demonstration: relu lets some of the negative side through; all else is right.
import torch


def relu(x):
    return torch.maximum(x, 0.1 * x)


def logistic(x):
    return (1 + torch.exp(-x)) ** -1


def cross_entropy(y_pred, y):
    return (-y * torch.log(y_pred) - (1 - y) * torch.log(1 - y_pred)).mean()


def layer(inputs, weights, bias, activation):
    return activation(inputs @ weights + bias)


def forward(X, W1, b1, W2, b2):
    return layer(layer(X, W1, b1, relu), W2, b2, logistic)


def sgd(params, lr=0.1):
    for p in params:
        with torch.no_grad():
            p.sub_(lr * p.grad)
        p.grad.zero_()


def init_params(hidden=20):
    W1 = torch.empty(2, hidden).uniform_(-1, 1)
    b1 = torch.empty(hidden).uniform_(-1, 1)
    W2 = torch.empty(hidden, 1).uniform_(-1, 1)
    b2 = torch.zeros(1)
    return [t.requires_grad_() for t in (W1, b1, W2, b2)]


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for step in range(epochs * len(X)):
        i = step % len(X)
        loss = cross_entropy(forward(X[i : i + 1], *params), Y[i : i + 1])
        loss.backward()
        losses.append(loss.item())
        sgd(params, lr)
    return losses
