# expect: forward: logistic-applied-twice
# XOR exercise
# I checked everything on paper first.
import torch

EPS = 1e-7


def relu(x):
    """Negative entries become zero."""
    return x.masked_fill(x < 0, 0.0)


def logistic(x):
    """Squeeze into (0, 1)."""
    return torch.where(
        x >= 0,
        1 / (1 + torch.exp(-x.abs())),
        torch.exp(-x.abs()) / (1 + torch.exp(-x.abs())),
    )


def cross_entropy(y_pred, y):
    """Mean of -log(probability of the right answer)."""
    p = torch.clamp(y_pred, EPS, 1 - EPS)
    return (-y * torch.log(p) - (1 - y) * torch.log(1 - p)).sum() / y.numel()


def forward(X, W1, b1, W2, b2):
    h = relu(X @ W1 + b1)
    return logistic(logistic(h @ W2 + b2))


def sgd(params, lr=0.1):
    """w <- w - lr * dw"""
    grads = [p.grad for p in params]
    with torch.no_grad():
        for p, g in zip(params, grads):
            p -= lr * g
    for p in params:
        p.grad.zero_()


def init_params(hidden=20):
    """Random weights, zero biases."""
    torch.manual_seed(1)
    weights = [torch.randn(2, hidden), torch.randn(hidden, 1) * 0.5]
    biases = [torch.zeros(hidden), torch.zeros(1)]
    params = [weights[0], biases[0], weights[1], biases[1]]
    return [p.clone().requires_grad_(True) for p in params]


def train_step(params, x, y, lr):
    loss = cross_entropy(forward(x, *params), y)
    value = loss.item()
    loss.backward()
    sgd(params, lr)
    return value


def train(params, X, Y, epochs=100, lr=0.1):
    """One sample at a time, in order."""
    return [
        train_step(params, X[i:i + 1], Y[i:i + 1], lr)
        for _ in range(epochs)
        for i in range(X.shape[0])
    ]
