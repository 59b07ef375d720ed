import torch

def relu(x):
    return torch.maximum(x, torch.tensor(0, dtype=x.dtype))

def logistic(x):
    return 1 / (torch.exp(-x) + 1)

def cross_entropy(y_pred, y):
    return torch.mean(-(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred)))

def forward(X, W1, b1, W2, b2):
    return logistic(torch.matmul(relu(torch.matmul(X, W1) + b1), W2) + b2)

def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            torch.sub(p, p.grad, alpha=lr, out=p)
            torch.mul(p.grad, 0, out=p.grad)

def init_params(hidden=20):
    W1 = torch.linspace(-1, 1, 2 * hidden).reshape(2, hidden)
    W2 = torch.linspace(1, -0.5, hidden).reshape(hidden, 1)
    b1 = torch.linspace(-0.1, 0.1, hidden)
    b2 = torch.zeros(1)
    return [w.detach().clone().requires_grad_() for w in (W1, b1, W2, b2)]

def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for x, y in zip(X, Y):
            loss = cross_entropy(forward(x, *params), y)
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
