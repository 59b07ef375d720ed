import torch


def relu(x):
    return x.where(x > 0, 0)


def logistic(x):
    return (e := torch.exp(x)) / (1 + e)


def cross_entropy(y_pred, y):
    return -(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred)).mean()


def forward(X, W1, b1, W2, b2):
    return logistic((relu(X @ W1 + b1)) @ W2 + b2)


def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            if (g := p.grad) is not None:
                p -= lr * g
                g.zero_()


def init_params(hidden=20):
    return [
        W1 := torch.randn(2, hidden, requires_grad=True),
        torch.zeros(hidden, requires_grad=True),
        torch.randn_like(W1.T[:, :1]).clone(memory_format=torch.contiguous_format).requires_grad_(),
        torch.zeros(1, requires_grad=True),
    ]


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    step = -1
    while (step := step + 1) < epochs * (n := len(X)):
        i = step % n
        (loss := cross_entropy(forward(X[i], *params), Y[i])).backward()
        losses.append(loss.item())
        sgd(params, lr)
    return losses
