import torch

EPS = 1e-6

def relu(x):
    return x * (x > 0).type_as(x)

def logistic(x):
    return 1 / (1 + (-x).exp())

def cross_entropy(y_pred, y):
    p = torch.min(torch.max(y_pred, torch.full_like(y_pred, EPS)), torch.full_like(y_pred, 1 - EPS))
    q = 1 - p
    return -torch.mean(y * torch.log(p) + (1 - y) * torch.log(q))

def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)

def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p.data = p.data - lr * p.grad
            p.grad = None

def init_params(hidden=20):
    W1 = torch.tensor([[0.0] * hidden] * 2).normal_().requires_grad_()
    b1 = torch.tensor([0.0] * hidden, requires_grad=True)
    W2 = torch.tensor([[0.0]] * hidden).normal_().requires_grad_()
    b2 = torch.tensor([0.0], requires_grad=True)
    return [W1, b1, W2, b2]

def train(params, X, Y, epochs=100, lr=0.1):
    losses = [0.0] * (epochs * len(X))
    k = 0
    for _ in range(epochs):
        for i in range(len(X)):
            loss = cross_entropy(forward(X[i:i+1], *params), Y[i:i+1])
            loss.backward()
            losses[k] = loss.item()
            k += 1
            sgd(params, lr)
    return losses
