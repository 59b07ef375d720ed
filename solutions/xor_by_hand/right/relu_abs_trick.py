import torch


def relu(x):
    # x + |x| is 2x on the right and 0 on the left
    return (x + torch.abs(x)) / 2


def logistic(x):
    # follows from tanh(x/2) = (e^x - 1) / (e^x + 1)
    return 0.5 * (torch.tanh(0.5 * x) + 1)


def cross_entropy(y_pred, y):
    ll = y * torch.log(y_pred) + (1 - y) * torch.log1p(-y_pred)
    return -ll.mean()


def forward(X, W1, b1, W2, b2):
    return logistic(torch.add(relu(torch.add(X @ W1, b1)) @ W2, b2))


def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p += -lr * p.grad
    for p in params:
        p.grad = None


def init_params(hidden=20):
    # scale 1/sqrt(fan in)
    W1 = torch.randn(2, hidden) / 2 ** 0.5
    W2 = torch.randn(hidden, 1) / hidden ** 0.5
    W1.requires_grad_(); W2.requires_grad_()
    b1 = torch.zeros(hidden, requires_grad=True)
    b2 = torch.zeros((), requires_grad=True)
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
