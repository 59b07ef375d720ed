import torch


class Descent:
    """A tiny optimizer: knows its parameters and its learning rate."""

    def __init__(self, params, lr):
        self.params = list(params)
        self.lr = lr

    @torch.no_grad()
    def step(self):
        for p in self.params:
            p -= self.lr * p.grad

    def zero_grad(self):
        for p in self.params:
            p.grad = None


def relu(x):
    return x.masked_fill(x <= 0, 0)


def logistic(x):
    return 1 / (1 + torch.exp(-x))


def cross_entropy(y_pred, y):
    return -(y * y_pred.log() + (1 - y) * (1 - y_pred).log()).mean()


def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)


def sgd(params, lr=0.1):
    descent = Descent(params, lr)
    descent.step()
    descent.zero_grad()


def init_params(hidden=20):
    W1 = torch.randn(2, hidden, requires_grad=True)
    b1 = torch.zeros(hidden, requires_grad=True)
    W2 = torch.randn(hidden, 1, requires_grad=True)
    b2 = torch.zeros(1, requires_grad=True)
    return [W1, b1, W2, b2]


def train(params, X, Y, epochs=100, lr=0.1):
    descent = Descent(params, lr)
    losses = []
    for _ in range(epochs):
        for x, y in zip(X, Y):
            descent.zero_grad()
            loss = cross_entropy(forward(x, *params), y)
            loss.backward()
            losses.append(loss.item())
            descent.step()
    descent.zero_grad()
    return losses
