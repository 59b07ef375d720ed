import torch

def relu(x):
    return torch.where(x < 0, 0.0, x)

def logistic(x):
    # written so that exp never sees a large positive number
    small = torch.exp(-x.clamp(min=0))
    large = torch.exp(x.clamp(max=0))
    return torch.where(x >= 0, 1 / (1 + small), large / (1 + large))

def cross_entropy(y_pred, y):
    p = y_pred.clamp(1e-6, 1 - 1e-6)
    return (-(y * p.log()) - ((1 - y) * (1 - p).log())).mean()

def forward(X, W1, b1, W2, b2):
    H = relu(X @ W1 + b1)
    return logistic(H @ W2 + b2)

def sgd(params, lr=0.1):
    @torch.no_grad()
    def update(p):
        p -= lr * p.grad

    for p in params:
        update(p)
        p.grad = None

def init_params(hidden=20):
    def weight(rows, cols):
        return (torch.randn(rows, cols) * rows ** -0.5).requires_grad_()

    def bias(n):
        return torch.zeros(n, requires_grad=True)

    return [weight(2, hidden), bias(hidden), weight(hidden, 1), bias(1)]

def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for x, y in zip(X, Y):
            y_pred = forward(x, *params)
            loss = cross_entropy(y_pred, y)
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
