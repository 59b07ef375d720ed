import torch


def relu(x):
    return (x > 0) * x


def logistic(x):
    return 1 / (1 + (-x).exp())


def cross_entropy(y_pred, y):
    log_likelihood = (y * y_pred + (1 - y) * (1 - y_pred)).log()
    return -log_likelihood.mean()


def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)


@torch.no_grad
def sgd(params, lr=0.1):
    for p in params:
        p -= lr * p.grad
        del p.grad


def init_params(hidden=20):
    net = {
        "W1": torch.randn(2, hidden),
        "b1": torch.randn(hidden),
        "W2": torch.randn(hidden, 1),
        "b2": torch.randn(1),
    }
    for value in net.values():
        value.requires_grad_()
    return list(net.values())


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for x, y in zip(X, Y):
            loss = cross_entropy(forward(x, *params), y)
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
