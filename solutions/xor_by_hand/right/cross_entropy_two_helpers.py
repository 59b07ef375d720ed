import torch


def safe_log(p):
    """log, but never below -100, so that 0 * log(0) is no nan."""
    return torch.clamp(torch.log(p), min=-100)


def entropy_term(label, p):
    return label * safe_log(p)


def relu(x):
    return x * torch.ge(x, 0)


def logistic(x):
    denominator = 1 + torch.exp(-x)
    return denominator.reciprocal()


def cross_entropy(y_pred, y):
    return -(entropy_term(y, y_pred) + entropy_term(1 - y, 1 - y_pred)).mean()


def layer(X, W, b, activation):
    return activation(X @ W + b)


def forward(X, W1, b1, W2, b2):
    return layer(layer(X, W1, b1, relu), W2, b2, logistic)


def update(p, lr):
    p -= lr * p.grad


def reset(p):
    p.grad.zero_()


def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            update(p, lr)
            reset(p)


def random_leaf(*shape):
    return torch.randn(*shape, requires_grad=True)


def init_params(hidden=20):
    return [random_leaf(2, hidden), random_leaf(hidden), random_leaf(hidden, 1), random_leaf(1)]


def train_one(params, x, y, lr):
    loss = cross_entropy(forward(x, *params), y)
    loss.backward()
    sgd(params, lr)
    return loss.item()


def train_epoch(params, X, Y, lr):
    return [train_one(params, x, y, lr) for x, y in zip(X, Y)]


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        losses += train_epoch(params, X, Y, lr)
    return losses
