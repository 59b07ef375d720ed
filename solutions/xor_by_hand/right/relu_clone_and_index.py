import torch

# I work on a copy, because x itself must stay as it is.
def relu(x):
    result = x.clone()
    result[x < 0] = 0
    return result

def logistic(x):
    result = 1 / (1 + torch.exp(-x))
    return result

def cross_entropy(y_pred, y):
    epsilon = 1e-8
    result = -(y * torch.log(y_pred + epsilon) + (1 - y) * torch.log(1 - y_pred + epsilon))
    result = result.mean()
    return result

def forward(X, W1, b1, W2, b2):
    result = X @ W1
    result = result + b1
    result = relu(result)
    result = result @ W2
    result = result + b2
    result = logistic(result)
    return result

def sgd(params, lr=0.1):
    W1, b1, W2, b2 = params
    with torch.no_grad():
        W1 -= lr * W1.grad
        b1 -= lr * b1.grad
        W2 -= lr * W2.grad
        b2 -= lr * b2.grad
    W1.grad.zero_()
    b1.grad.zero_()
    W2.grad.zero_()
    b2.grad.zero_()

def init_params(hidden=20):
    W1 = torch.randn(2, hidden, requires_grad=True)
    b1 = torch.randn(hidden, requires_grad=True)
    W2 = torch.randn(hidden, 1, requires_grad=True)
    b2 = torch.randn(1, requires_grad=True)
    return [W1, b1, W2, b2]

def train(params, X, Y, epochs=100, lr=0.1):
    result = []
    for epoch in range(epochs):
        for i in range(0, X.shape[0]):
            x = X[i, :]
            y = Y[i, :]
            y_pred = forward(x, params[0], params[1], params[2], params[3])
            loss = cross_entropy(y_pred, y)
            loss.backward()
            result.append(loss.item())
            sgd(params, lr)
    return result
