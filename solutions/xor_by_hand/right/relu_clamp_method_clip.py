from torch import exp, log, no_grad, rand, zeros


def relu(x):
    return x.clip(min=0)


def logistic(x):
    return (1 + exp(-x)) ** -1


def cross_entropy(y_pred, y):
    return (-y * log(y_pred) - (1 - y) * log(1 - y_pred)).mean()


def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)


def sgd(params, lr=0.1):
    with no_grad():
        for p in params:
            p.add_(p.grad, alpha=-lr)
            p.grad.fill_(0.0)


def init_params(hidden=20):
    W1 = (2 * rand(2, hidden) - 1).requires_grad_()
    W2 = (2 * rand(hidden, 1) - 1).requires_grad_()
    return [W1, zeros(hidden, requires_grad=True), W2, zeros(1, requires_grad=True)]


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for x, y in zip(X.split(1), Y.split(1)):
            loss = cross_entropy(forward(x, *params), y)
            loss.backward()
            sgd(params, lr)
            losses.append(loss.item())
    return losses
