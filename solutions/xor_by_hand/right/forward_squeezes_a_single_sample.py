import torch


def relu(x):
    return x.clamp(0)


def logistic(x):
    return 1 / (1 + torch.exp(-x))


def cross_entropy(y_pred, y):
    y_pred, y = y_pred.reshape(-1), y.reshape(-1)
    return -(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred)).mean()


def forward(X, W1, b1, W2, b2):
    out = logistic(relu(X @ W1 + b1) @ W2 + b2)
    # one sample: a plain number is nicer than [[number]]
    return out.squeeze() if out.numel() == 1 else out


def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p -= p.grad.mul_(lr)
            p.grad = None


def init_params(hidden=20):
    return [torch.randn(s).requires_grad_() for s in [(2, hidden), (hidden,), (hidden, 1), ()]]


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for x, y in zip(X, Y):
            loss = cross_entropy(forward(x, *params), y)
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
