import torch

def relu(x): return x.clamp(min=0.0)

def log_logistic(x): return -torch.log1p(torch.exp(-x))

def logistic(x): return torch.exp(log_logistic(x))

def cross_entropy(y_pred, y):
    n = y_pred.shape[0]
    s = torch.sum(y * torch.log(y_pred)) + torch.sum((1 - y) * torch.log(1 - y_pred))
    return -1 / n * s

def forward(X, W1, b1, W2, b2):
    a = relu(X @ W1 + b1)
    return logistic(a @ W2 + b2)

def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params: p -= lr * p.grad
        for p in params: p.grad = None

def init_params(hidden=20):
    r = lambda *s: torch.randn(*s, requires_grad=True)
    return [r(2, hidden), r(hidden), r(hidden, 1), r(1)]

def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for ep in range(epochs):
        for x, y in zip(X, Y):
            l = cross_entropy(forward(x, *params), y)
            l.backward(); losses.append(l.item()); sgd(params, lr)
    return losses
