import torch

def relu(x):
    return (x > 0).float() * x

def logistic(x):
    e = torch.exp(-x)
    return 1 / (e + 1)

def cross_entropy(y_pred, y):
    n = y.numel()
    return -(y * y_pred.log() + (1 - y) * (1 - y_pred).log()).sum() / n

def forward(X, W1, b1, W2, b2):
    h = relu(torch.matmul(X, W1) + b1)
    return logistic(torch.matmul(h, W2) + b2)

def sgd(params, lr=0.1):
    for p in params:
        p.data -= lr * p.grad
        p.grad = None

def init_params(hidden=20):
    W1 = torch.rand(2, hidden) - 0.5
    b1 = torch.rand(hidden) - 0.5
    W2 = torch.rand(hidden, 1) - 0.5
    b2 = torch.rand(1) - 0.5
    params = [W1, b1, W2, b2]
    for p in params:
        p.requires_grad = True
    return params

def train(params, X, Y, epochs=100, lr=0.1):
    W1, b1, W2, b2 = params
    history = []
    for e in range(epochs):
        for i in range(X.shape[0]):
            p = forward(X[i], W1, b1, W2, b2)
            l = cross_entropy(p, Y[i])
            l.backward()
            history.append(float(l))
            sgd([W1, b1, W2, b2], lr)
    return history
