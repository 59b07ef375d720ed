"""The lecture notes use column vectors: z = W^T x + b. So does this."""
import torch


def relu(x):
    return x * (x > 0).to(dtype=x.dtype)


def logistic(x):
    return 1 / (1 + torch.exp(-x))


def cross_entropy(y_pred, y):
    return -torch.sum(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred)) / len(y)


def forward(X, W1, b1, W2, b2):
    x = X.reshape(-1, 2).T                      # (2, N)
    z1 = W1.T @ x + b1.reshape(-1, 1)           # (hidden, N)
    a1 = relu(z1)
    z2 = W2.T @ a1 + b2.reshape(-1, 1)          # (1, N)
    a2 = logistic(z2)
    return a2.T                                 # (N, 1)


def sgd(params, lr=0.1):
    W1, b1, W2, b2 = params
    with torch.no_grad():
        W1.sub_(lr * W1.grad)
        b1.sub_(lr * b1.grad)
        W2.sub_(lr * W2.grad)
        b2.sub_(lr * b2.grad)
    W1.grad = b1.grad = W2.grad = b2.grad = None


def init_params(hidden=20):
    W1 = torch.randn(2, hidden, requires_grad=True)
    b1 = torch.zeros(hidden, requires_grad=True)
    W2 = torch.randn(hidden, 1, requires_grad=True)
    b2 = torch.zeros(1, requires_grad=True)
    return W1, b1, W2, b2


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for x, y in zip(X, Y):
            loss = cross_entropy(forward(x, *params), y.reshape(1, 1))
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
