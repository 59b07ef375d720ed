import torch

def relu(x, /):
    return torch.where(x > 0, x, x * 0)

def logistic(x, /):
    return 1 / (1 + torch.exp(-x))

def cross_entropy(y_pred, y, /):
    return -(y * y_pred.log() + (1 - y) * (1 - y_pred).log()).mean()

def forward(X, *params):
    """Any number of layers: relu everywhere but in the last."""
    *layers, W, b = params
    for V, c in zip(layers[0::2], layers[1::2]):
        X = relu(X @ V + c)
    return logistic(X @ W + b)

def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad
            p.grad.zero_()

def init_params(hidden=20, inputs=2, outputs=1):
    return [
        torch.randn(inputs, hidden, requires_grad=True),
        torch.zeros(hidden, requires_grad=True),
        torch.randn(hidden, outputs, requires_grad=True),
        torch.zeros(outputs, requires_grad=True),
    ]

def train(params, X, Y, epochs=100, lr=0.1, verbose=False):
    losses = []
    for epoch in range(epochs):
        for x, y in zip(X, Y):
            loss = cross_entropy(forward(x, *params), y)
            loss.backward()
            sgd(params, lr)
            losses.append(loss.item())
        if verbose:
            print(epoch, losses[-1])
    return losses
