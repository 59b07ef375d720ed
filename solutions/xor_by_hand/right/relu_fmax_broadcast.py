import torch

def relu(x):
    return torch.fmax(x, x.new_zeros(()))

def logistic(x):
    return (1 + torch.tanh(x / 2)) / 2

def cross_entropy(y_pred, y):
    # keepdim: the loss stays a (1, 1) table for a column
    terms = y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred)
    return -terms.mean(dim=0, keepdim=True)

def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)

def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p.copy_(torch.sub(p, p.grad, alpha=lr))
            p.grad.copy_(torch.zeros_like(p.grad))

def init_params(hidden=20):
    g = torch.Generator().manual_seed(42)
    W1 = torch.randn(2, hidden, generator=g).requires_grad_()
    b1 = torch.randn(1, hidden, generator=g).requires_grad_()
    W2 = torch.randn(hidden, 1, generator=g).requires_grad_()
    b2 = torch.randn(1, 1, generator=g).requires_grad_()
    return [W1, b1, W2, b2]

def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for row in range(len(X)):
            loss = cross_entropy(forward(X[row:row + 1], *params), Y[row:row + 1])
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
