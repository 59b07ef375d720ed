import torch as pt

def relu(z):
    return pt.clamp(z, min=0)

def logistic(z):
    return 1 / (1 + pt.exp(-z))

def cross_entropy(y_pred, y):
    return pt.mean(y * -pt.log(y_pred) + (1 - y) * -pt.log(1 - y_pred))

def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)

def sgd(params, lr=0.1):
    # detach() shares the numbers with p but does not take part in the graph
    for p in params:
        numbers = p.detach()
        numbers -= lr * p.grad
        p.grad.detach().zero_()

def init_params(hidden=20):
    return tuple(
        pt.randn(shape, requires_grad=True)
        for shape in ((2, hidden), hidden, (hidden, 1), 1)
    )

def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for x, y in zip(X, Y):
            loss = cross_entropy(forward(x, *params), y)
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
