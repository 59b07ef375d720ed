import torch

def relu(x):
    return torch.where(x > 0, x, 0.)

def logistic(x):
    # e^x / (e^x + 1), the form from the slides
    return torch.exp(x) / (torch.exp(x) + 1)

def cross_entropy(y_pred, y):
    return -(y*torch.log(y_pred) + (1-y)*torch.log(1-y_pred)).mean()

def forward(X, W1, b1, W2, b2):
    return logistic(relu(X@W1 + b1)@W2 + b2)

def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p -= lr*p.grad
    for p in params:
        p.grad.zero_()

def init_params(hidden=20):
    return [torch.randn(2, hidden, requires_grad=True),
            torch.zeros(1, hidden, requires_grad=True),
            torch.randn(hidden, 1, requires_grad=True),
            torch.zeros(1, 1, requires_grad=True)]

def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for epoch in range(epochs):
        for x, y in zip(X, Y):
            x = x.view(1, 2)
            y = y.view(1, 1)
            loss = cross_entropy(forward(x, *params), y)
            losses.append(loss.item())
            loss.backward()
            sgd(params, lr)
    return losses
