import torch

def relu(x):
    return torch.where(x > 0, x, torch.zeros_like(x))

def logistic(x):
    return 1 / (1 + torch.exp(-x))

def cross_entropy(y_pred, y):
    n = y.numel()
    terms = y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred)
    return (-terms / n).sum().reshape(1)

def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)

def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad
            p.grad = None

def init_params(hidden=20):
    params = []
    for rows, columns in [(2, hidden), (hidden, 1)]:
        params.append(torch.randn(rows, columns, requires_grad=True))
        params.append(torch.zeros(columns, requires_grad=True))
    return params

def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for i in range(len(X)):
            loss = cross_entropy(forward(X.narrow(0, i, 1), *params), Y.narrow(0, i, 1))
            loss.backward(torch.ones_like(loss))
            losses.append(loss.item())
            sgd(params, lr=lr)
    return losses
