import torch

def relu(x):
    # go over every number, one after the other
    shape = x.shape
    values = []
    for v in x.flatten():
        if v > 0:
            values.append(v)
        else:
            values.append(v * 0)
    return torch.stack(values).reshape(shape)

def logistic(x):
    return 1/(1+torch.exp(-x))

def cross_entropy(y_pred, y):
    y_pred = y_pred.flatten()
    y = y.flatten()
    total = 0
    for i in range(len(y)):
        if y[i] == 1:
            total = total - torch.log(y_pred[i])
        else:
            total = total - torch.log(1 - y_pred[i])
    return total / len(y)

def forward(X, W1, b1, W2, b2):
    h = relu(X @ W1 + b1)
    y = logistic(h @ W2 + b2)
    return y

def sgd(params, lr=0.1):
    with torch.no_grad():
        for i in range(len(params)):
            params[i].copy_(params[i] - lr * params[i].grad)
            params[i].grad = None

def init_params(hidden=20):
    W1 = torch.randn(2, hidden, requires_grad=True)
    b1 = torch.zeros(hidden, requires_grad=True)
    W2 = torch.randn(hidden, 1, requires_grad=True)
    b2 = torch.zeros(1, requires_grad=True)
    return [W1, b1, W2, b2]

def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for e in range(epochs):
        for i in range(len(X)):
            y_pred = forward(X[i], *params)
            loss = cross_entropy(y_pred, Y[i])
            losses.append(loss.item())
            loss.backward()
            sgd(params, lr)
    return losses
