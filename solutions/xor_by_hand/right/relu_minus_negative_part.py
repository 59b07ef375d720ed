import torch


def relu(x):
    negative_part = x.clamp(max=0)
    return x - negative_part


def logistic(x):
    ex = x.exp()
    return ex / (ex + 1)


def cross_entropy(y_pred, y):
    return torch.mean(torch.where(y == 1, -torch.log(y_pred), -torch.log(1 - y_pred)))


def forward(X, W1, b1, W2, b2):
    single = X.dim() == 1
    if single:
        X = X.unsqueeze(0)
    hidden = relu(X.mm(W1) + b1)
    out = logistic(hidden.mm(W2) + b2)
    if single:
        out = out.squeeze(0)
    return out


def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p.add_(-lr * p.grad)
            p.grad.mul_(0)


def init_params(hidden=20):
    W1 = torch.empty(2, hidden, requires_grad=True)
    b1 = torch.empty(hidden, requires_grad=True)
    W2 = torch.empty(hidden, 1, requires_grad=True)
    b2 = torch.empty(1, requires_grad=True)
    with torch.no_grad():
        for p in (W1, b1, W2, b2):
            p.uniform_(-1, 1)
    return [W1, b1, W2, b2]


def train(params, X, Y, epochs=100, lr=0.1):
    all_losses = []
    for epoch in range(epochs):
        epoch_losses = []
        for x, y in zip(X, Y):
            prediction = forward(x, *params)
            loss = cross_entropy(prediction, y)
            loss.backward()
            epoch_losses.append(loss.item())
            sgd(params, lr)
        all_losses.extend(epoch_losses)
    return all_losses
