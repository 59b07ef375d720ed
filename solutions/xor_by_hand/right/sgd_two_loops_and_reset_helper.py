import torch


def relu(x):
    return torch.where(x > 0, x, torch.zeros_like(x))


def logistic(x):
    return torch.exp(x) / (1 + torch.exp(x))


def cross_entropy(y_pred, y):
    m = y.shape[0]
    cost = (1 / m) * (-y * torch.log(y_pred) - (1 - y) * torch.log(1 - y_pred)).sum()
    return cost


def forward(X, W1, b1, W2, b2):
    z1 = X @ W1 + b1
    z2 = relu(z1) @ W2 + b2
    return logistic(z2)


def zero_gradients(params):
    for p in params:
        if p.grad is not None:
            p.grad.zero_()


def take_step(params, lr):
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad


def sgd(params, lr=0.1):
    take_step(params, lr)
    zero_gradients(params)


def init_params(hidden=20):
    W1 = torch.randn(2, hidden, requires_grad=True)
    b1 = torch.randn(hidden, requires_grad=True)
    W2 = torch.randn(hidden, 1, requires_grad=True)
    b2 = torch.randn(1, requires_grad=True)
    return [W1, b1, W2, b2]


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for i in range(len(X)):
            zero_gradients(params)
            y_pred = forward(X[i : i + 1], *params)
            loss = cross_entropy(y_pred, Y[i : i + 1])
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
