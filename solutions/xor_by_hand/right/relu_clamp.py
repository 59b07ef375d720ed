import torch


# 7.1
def relu(x):
    return torch.clamp(x, min=0)


# 7.2
def logistic(x):
    return torch.exp(x) / (1 + torch.exp(x))


# 7.3
def cross_entropy(y_pred, y):
    eps = 1e-7
    y_pred = torch.clamp(y_pred, eps, 1 - eps)      # otherwise log(0) = -inf
    return -(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred)).mean()


# 7.4
def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)


# 7.5
@torch.no_grad()
def sgd(params, lr=0.1):
    for p in params:
        p.sub_(lr * p.grad)
    for p in params:
        p.grad.zero_()


# 7.6
def init_params(hidden=20):
    return [
        torch.randn((2, hidden), requires_grad=True),
        torch.randn((hidden,), requires_grad=True),
        torch.randn((hidden, 1), requires_grad=True),
        torch.randn((1,), requires_grad=True),
    ]


# 7.7
def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for epoch in range(1, epochs + 1):
        total = 0.0
        for i in range(len(X)):
            out = forward(X[i:i + 1], *params)
            loss = cross_entropy(out, Y[i:i + 1])
            loss.backward()
            sgd(params, lr)
            total += loss.item()
            losses.append(loss.item())
        if epoch % 25 == 0:
            print(f"epoch {epoch}: mean loss {total / len(X):.4f}")
    return losses
