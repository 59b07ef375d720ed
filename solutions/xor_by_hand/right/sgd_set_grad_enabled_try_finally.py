import torch

def relu(x):
    return x - torch.clamp(x, max=0)

def logistic(x):
    return 1 / (1 + torch.exp(-x))

def cross_entropy(y_pred, y):
    return -(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred)).mean()

def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)

def sgd(params, lr=0.1):
    before = torch.is_grad_enabled()
    torch.set_grad_enabled(False)
    try:
        for p in params:
            p -= lr * p.grad
            p.grad.zero_()
    finally:
        torch.set_grad_enabled(before)

def init_params(hidden=20):
    W1 = torch.rand(2, hidden).mul_(2).sub_(1).requires_grad_()
    b1 = torch.zeros(hidden).requires_grad_()
    W2 = torch.rand(hidden, 1).mul_(2).sub_(1).requires_grad_()
    b2 = torch.zeros(1).requires_grad_()
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
