import torch


def relu(x):
    return x.maximum(x.new_zeros(1).sum())


def logistic(x):
    return 1 / (1 + torch.exp(-x))


def cross_entropy(y_pred, y):
    # xlogy(0, 0) = 0, so a perfect prediction costs nothing
    return -torch.mean(torch.special.xlogy(y, y_pred) + torch.special.xlog1py(1 - y, -y_pred))


def forward(X, W1, b1, W2, b2):
    hidden_layer = relu(X @ W1 + b1)
    output_layer = logistic(hidden_layer @ W2 + b2)
    return output_layer


def sgd(params, lr=0.1):
    with torch.set_grad_enabled(False):
        for p in params:
            p -= lr * p.grad
            p.grad = None


def init_params(hidden=20):
    first = torch.nn.init.kaiming_normal_(torch.empty(2, hidden))
    second = torch.nn.init.xavier_normal_(torch.empty(hidden, 1))
    b1, b2 = torch.zeros(hidden), torch.zeros(1)
    params = [first, b1, second, b2]
    for p in params:
        p.requires_grad_(True)
    return params


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for i in torch.arange(len(X)):
            loss = cross_entropy(forward(X[i], *params), Y[i])
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
