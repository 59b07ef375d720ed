import torch

STABLE = True
VERSION = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2] if part.isdigit())

if hasattr(torch, "where"):

    def relu(x):
        return torch.where(x > 0, x, torch.zeros_like(x))

else:

    def relu(x):
        return x * (x > 0)


if STABLE:

    def logistic(x):
        return 0.5 * torch.tanh(0.5 * x) + 0.5

else:

    def logistic(x):
        return 1 / (1 + torch.exp(-x))


try:
    _xlogy = torch.xlogy
except AttributeError:

    def _xlogy(a, b):
        return a * torch.log(b)


def cross_entropy(y_pred, y):
    return -(_xlogy(y, y_pred) + _xlogy(1 - y, 1 - y_pred)).mean()


def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)


for _name in ["sgd"]:

    def sgd(params, lr=0.1):
        with torch.no_grad():
            for p in params:
                p -= lr * p.grad
                p.grad.zero_()


with torch.no_grad():

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
