import torch

def relu(x):
    return torch.maximum(torch.zeros_like(x), x)

def logistic(x):
    return 1/(1 + torch.exp(-x))

def cross_entropy(y_pred, y, eps=1e-7):
    # eps because log(0) is -inf
    return -(y * torch.log(y_pred + eps) + (1 - y) * torch.log(1 - y_pred + eps)).mean()

def forward(X, W1, b1, W2, b2):
    hidden = relu(torch.matmul(X, W1) + b1)
    output = logistic(torch.matmul(hidden, W2) + b2)
    return output

def sgd(params, lr=0.1):
    with torch.no_grad():
        for param in params:
            param -= lr * param.grad
            param.grad.zero_()

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
            y_pred = forward(X[i], *params)
            loss = cross_entropy(y_pred, Y[i])
            loss.backward()
            sgd(params, lr)
            losses.append(loss.item())
        print("Epoch", epoch, "last loss", losses[-1])
    return losses
