# float32 throughout, as in the lecture
import torch

def relu(x):
    out = torch.zeros(x.shape)
    out = torch.where(x > 0, x.float(), out)
    return out

def logistic(x):
    x = x.to(torch.float32)
    return 1 / (1 + torch.exp(-x))

def cross_entropy(y_pred, y):
    y = y.float()
    y_pred = y_pred.float()
    return -torch.mean(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred))

def forward(X, W1, b1, W2, b2):
    X = X.float()
    z = X @ W1 + b1
    return logistic(relu(z) @ W2 + b2)

def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad
            p.grad = torch.zeros(p.shape)

def init_params(hidden=20):
    W1 = torch.randn(2, hidden, dtype=torch.float32, requires_grad=True)
    b1 = torch.randn(hidden, dtype=torch.float32, requires_grad=True)
    W2 = torch.randn(hidden, 1, dtype=torch.float32, requires_grad=True)
    b2 = torch.randn(1, dtype=torch.float32, requires_grad=True)
    return [W1, b1, W2, b2]

def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for epoch in range(epochs):
        for i in range(len(X)):
            y_pred = forward(X[i], *params)
            loss = cross_entropy(y_pred, Y[i])
            loss.backward()
            sgd(params, lr)
            losses.append(loss.item())
    return losses
