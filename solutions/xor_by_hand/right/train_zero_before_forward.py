import torch

def relu(x):
    return torch.max(x, torch.zeros_like(x))

def logistic(x):
    return 1/(1 + torch.exp(-x))

def cross_entropy(y_pred, y):
    return -(y*torch.log(y_pred) + (1 - y)*torch.log(1 - y_pred)).mean()

def forward(X, W1, b1, W2, b2):
    return logistic(relu(X@W1 + b1)@W2 + b2)

def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p -= lr*p.grad
            p.grad.zero_()

def init_params(hidden=20):
    W1 = torch.randn(2, hidden, requires_grad=True)
    b1 = torch.randn(hidden, requires_grad=True)
    W2 = torch.randn(hidden, 1, requires_grad=True)
    b2 = torch.randn(1, requires_grad=True)
    return [W1, b1, W2, b2]

def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for epoch in range(epochs):
        for i in range(len(X)):
            # 1. gradients to zero
            for p in params:
                p.grad = None
            # 2. forward
            y_pred = forward(X[i], *params)
            # 3. loss
            loss = cross_entropy(y_pred, Y[i])
            # 4. backward
            loss.backward()
            # 5. step
            sgd(params, lr)
            losses.append(loss.item())
    return losses
