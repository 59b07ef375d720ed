import torch

def relu(x):
    y = torch.zeros_like(x)
    y = y + x * (x > 0)
    return y

def logistic(x):
    y = 1 / (1 + torch.exp(-x))
    return y

def cross_entropy(y_pred, y):
    ce = y * torch.log(y_pred)
    ce = ce + (1 - y) * torch.log(1 - y_pred)
    ce = -1 * torch.mean(ce)
    return ce

def forward(X, W1, b1, W2, b2):
    A1 = relu(X @ W1 + b1)
    A2 = logistic(A1 @ W2 + b2)
    return A2

def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad
            p.grad.zero_()
    return params

def init_params(hidden=20):
    W1 = torch.randn(2, hidden) * 0.7
    b1 = torch.zeros(hidden)
    W2 = torch.randn(hidden, 1) * 0.7
    b2 = torch.zeros(1)
    W1.requires_grad_(), b1.requires_grad_(), W2.requires_grad_(), b2.requires_grad_()
    return [W1, b1, W2, b2]

def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for i in range(len(X)):
            y_pred = forward(X[i:i+1], *params)
            loss = cross_entropy(y_pred, Y[i:i+1])
            loss.backward()
            losses.append(loss.item())
            params = sgd(params, lr)
    return losses
