import torch


def relu(x):
    out = torch.zeros_like(x)
    positive = x > 0
    out[positive] = x[positive]
    return out


def logistic(x):
    # each half of the line with the exponential that cannot overflow there
    out = torch.empty_like(x)
    right = x >= 0
    left = ~right
    out[right] = 1 / (1 + torch.exp(-x[right]))
    grown = torch.exp(x[left])
    out[left] = grown / (1 + grown)
    return out


def cross_entropy(y_pred, y):
    losses = torch.empty_like(y_pred)
    losses[y == 1] = -torch.log(y_pred[y == 1])
    losses[y == 0] = -torch.log(1 - y_pred[y == 0])
    return losses.mean()


def forward(X, W1, b1, W2, b2):
    a = relu(X @ W1 + b1)
    return logistic(a @ W2 + b2)


def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p[:] = p - lr * p.grad
            p.grad[:] = 0


def init_params(hidden=20):
    W1 = torch.randn(2, hidden)
    W1.requires_grad = True
    b1 = torch.zeros(hidden)
    b1.requires_grad = True
    W2 = torch.randn(hidden, 1)
    W2.requires_grad = True
    b2 = torch.zeros(1)
    b2.requires_grad = True
    return [W1, b1, W2, b2]


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for x, y in zip(X.unsqueeze(1), Y.unsqueeze(1)):
            loss = cross_entropy(forward(x, *params), y)
            losses.append(loss.item())
            loss.backward()
            sgd(params, lr)
    return losses
