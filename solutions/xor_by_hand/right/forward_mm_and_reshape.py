import torch

def relu(x):
    return torch.clamp(x, 0)

def logistic(x):
    return 1. / (1. + torch.exp(-x))

def cross_entropy(y_pred, y):
    return torch.mean(-y * torch.log(y_pred) - (1. - y) * torch.log(1. - y_pred))

def forward(X, W1, b1, W2, b2):
    # torch.mm wants matrices: a single sample becomes a matrix with one row
    if X.dim() < 2:
        X = X.reshape(1, -1)
    hidden = relu(torch.mm(X, W1) + b1)
    return logistic(torch.mm(hidden, W2) + b2)

def sgd(params, lr=0.1):
    for p in params:
        with torch.no_grad():
            p -= lr * p.grad
        p.grad.zero_()

def init_params(hidden=20):
    W1 = torch.randn(2, hidden, requires_grad=True)
    b1 = torch.randn(1, hidden, requires_grad=True)
    W2 = torch.randn(hidden, 1, requires_grad=True)
    b2 = torch.randn(1, 1, requires_grad=True)
    return W1, b1, W2, b2

def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for i in range(len(X)):
            pred = forward(X[i], *params)
            loss = cross_entropy(pred, Y[i].reshape(1, 1))
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
