# expect: train: non-leaf-gradient
import torch


def relu(x):
    mask = (x > 0).to(x.dtype)
    return mask * x


def logistic(x):
    return torch.pow(1 + torch.exp(-x), -1)


def cross_entropy(y_pred, y):
    # probability that the net gave to what really happened
    p_true = torch.where(y == 1, y_pred, 1 - y_pred)
    return -torch.log(p_true).mean()


def linear(inp, W, b):
    return inp @ W + b


def forward(X, W1, b1, W2, b2):
    return logistic(linear(relu(linear(X, W1, b1)), W2, b2))


def sgd(params, lr=0.1):
    with torch.no_grad():
        for i in range(len(params)):
            params[i].add_(params[i].grad, alpha=-lr)
            params[i].grad = torch.zeros_like(params[i])


def init_params(hidden=20):
    params = [torch.randn(2, hidden), torch.zeros(hidden), torch.randn(hidden, 1), torch.zeros(1)]
    for p in params:
        p.requires_grad_(True)
    return params


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    weights = [1.0 * p for p in params]  # keep the start values
    for epoch in range(epochs):
        for i in range(len(X)):
            loss = cross_entropy(forward(X[i:i + 1], *weights), Y[i:i + 1])
            loss.backward()
            losses.append(loss.item())
            sgd(weights, lr)
    return losses
