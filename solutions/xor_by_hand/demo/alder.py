# Invented for the demonstration: everything is right, in a style of its own.
import torch


def relu(x):
    return x * (x > 0)


def logistic(x):
    return 1 / (1 + torch.exp(-x))


def cross_entropy(y_pred, y):
    # y is 0 or 1, so this is the probability that was given to the label that came true
    p_of_label = torch.where(y == 1, y_pred, 1 - y_pred)
    return -torch.log(p_of_label).mean()


def forward(X, W1, b1, W2, b2):
    hidden = relu(X @ W1 + b1)
    return logistic(hidden @ W2 + b2)


def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad
    for p in params:
        p.grad = None


def init_params(hidden=20):
    shapes = [(2, hidden), (hidden,), (hidden, 1), (1,)]
    return [torch.randn(shape, requires_grad=True) for shape in shapes]


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for x, y in zip(X, Y):
            loss = cross_entropy(forward(x.view(1, 2), *params), y.view(1, 1))
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
