import torch

def relu(x):
    return torch.stack((x, torch.zeros_like(x)), dim=-1).amax(dim=-1)

def logistic(x):
    return 1 / (1 + torch.exp(-x))

def cross_entropy(y_pred, y):
    p = torch.clamp(y_pred, min=1e-10)
    q = torch.clamp(1 - y_pred, min=1e-10)
    return -(y * torch.log(p) + (1 - y) * torch.log(q)).mean()

def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)

def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad
    for p in params:
        p.grad = torch.zeros_like(p.data)

def init_params(hidden=20):
    W1 = torch.randn(2, hidden, requires_grad=True)
    b1 = torch.zeros(hidden, requires_grad=True)
    W2 = torch.randn(hidden, 1, requires_grad=True)
    b2 = torch.zeros(1, requires_grad=True)
    return [W1, b1, W2, b2]

def train(params, X, Y, epochs=100, lr=0.1):
    losses = torch.zeros(epochs, len(X))
    for e in range(epochs):
        for i in range(len(X)):
            loss = cross_entropy(forward(X[i:i+1], *params), Y[i:i+1])
            loss.backward()
            losses[e, i] = loss.detach()
            sgd(params, lr)
    return losses.flatten().tolist()
