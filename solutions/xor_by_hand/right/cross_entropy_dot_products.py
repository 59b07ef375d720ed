import torch

def relu(x):
    return x.clamp_min(0)

def logistic(x):
    return 1 / (1 + torch.exp(-x))

def cross_entropy(y_pred, y):
    """The sum over the samples is a row times a column. The result is a (1, 1) matrix."""
    p = y_pred.reshape(-1, 1)
    t = y.reshape(1, -1)
    N = p.shape[0]
    return -(t @ torch.log(p) + (1 - t) @ torch.log(1 - p)) / N

def forward(X, W1, b1, W2, b2):
    rows = X.reshape(-1, W1.shape[0])
    hidden = relu(torch.addmm(b1, rows, W1))
    return logistic(torch.addmm(b2, hidden, W2))

def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p.add_(p.grad, alpha=-lr)
            p.grad = None

def init_params(hidden=20):
    W1 = torch.randn(2, hidden)
    b1 = torch.randn(hidden)
    W2 = torch.randn(hidden, 1)
    b2 = torch.randn(1)
    return [tensor.requires_grad_() for tensor in (W1, b1, W2, b2)]

def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for x, y in zip(X, Y):
            loss = cross_entropy(forward(x, *params), y)
            losses.append(loss.item())
            loss.backward()
            sgd(params, lr)
    return losses
