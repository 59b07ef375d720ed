import torch


def relu(x):
    return x.masked_fill(x < 0, 0.0)


def logistic(x):
    return torch.reciprocal(1 + torch.exp(torch.neg(x)))


def cross_entropy(y_pred, y):
    return -(torch.xlogy(y, y_pred) + torch.xlogy(1 - y, 1 - y_pred)).mean()


def forward(X, W1, b1, W2, b2):
    X = X.reshape(-1, 2)
    hidden = relu(torch.mm(X, W1) + b1)
    return logistic(torch.mm(hidden, W2) + b2)


def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            if p.grad is None:
                continue
            p -= p.grad * lr
            p.grad.zero_()


def init_params(hidden=20):
    torch.manual_seed(0)
    W1 = torch.randn(2, hidden, requires_grad=True)
    b1 = torch.randn(hidden, requires_grad=True)
    W2 = torch.randn(hidden, 1, requires_grad=True)
    b2 = torch.randn(1, requires_grad=True)
    return W1, b1, W2, b2


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for i, x in enumerate(X):
            y_hat = forward(x, *params)
            loss = cross_entropy(y_hat, Y[i].reshape(1, 1))
            losses.append(loss.item())
            loss.backward()
            sgd(params, lr)
    return losses
