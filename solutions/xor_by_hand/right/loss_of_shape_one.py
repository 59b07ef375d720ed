import torch


def relu(x):
    return torch.where(x > 0, x, torch.zeros_like(x))


def logistic(x):
    return 1 / (1 + torch.exp(-x))


def cross_entropy(y_pred, y):
    loss = torch.zeros(1, dtype=y_pred.dtype)
    for p, t in zip(y_pred.reshape(-1), y.reshape(-1)):
        loss = loss - t * torch.log(p) - (1 - t) * torch.log(1 - p)
    return loss / y.numel()


def forward(X, W1, b1, W2, b2):
    if X.ndim == 1:
        X = X[None, :]
    outputs = []
    for row in X:
        hidden = relu(row @ W1 + b1)
        outputs.append(logistic(hidden @ W2 + b2))
    return torch.stack(outputs).reshape(-1, 1)


def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p[...] -= lr * p.grad
            p.grad[...] = 0.0


def init_params(hidden=20):
    W1 = torch.randn(2, hidden, requires_grad=True)
    b1 = torch.zeros(hidden, requires_grad=True)
    W2 = torch.randn(hidden, 1, requires_grad=True)
    b2 = torch.zeros(1, requires_grad=True)
    return [W1, b1, W2, b2]


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for x, y in zip(X, Y):
            loss = cross_entropy(forward(x, *params), y)
            loss.backward()          # one element, so this is fine
            losses.append(loss.item())
            sgd(params, lr)
    return losses
