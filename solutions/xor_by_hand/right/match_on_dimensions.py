import torch


def relu(x):
    match x.dim():
        case 0:
            return x if x > 0 else x * 0
        case _:
            return torch.where(x > 0, x, torch.zeros_like(x))


def logistic(x):
    return 1 / (1 + torch.exp(-x))


def cross_entropy(y_pred, y):
    return -(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred)).mean()


def forward(X, W1, b1, W2, b2):
    match tuple(X.shape):
        case (2,):
            return forward(X[None], W1, b1, W2, b2)[0]
        case (_, 2):
            hidden = relu(torch.mm(X, W1) + b1)
            return logistic(torch.mm(hidden, W2) + b2)
        case other:
            raise ValueError(f"X must be (2,) or (N, 2), not {other}")


def sgd(params, lr=0.1):
    match params:
        case [W1, b1, W2, b2]:
            with torch.no_grad():
                for p in (W1, b1, W2, b2):
                    p -= lr * p.grad
                    p.grad = None
        case _:
            raise ValueError("params must be [W1, b1, W2, b2]")


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
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
