# expect: forward: elementwise-not-matmul
import torch

torch.set_printoptions(precision=4)


# 7.1
def relu(x):
    return (x + x.abs()) / 2


# 7.2
def logistic(x):
    denominator = 1 + torch.exp(-1 * x)
    return 1.0 / denominator


# 7.3
def cross_entropy(y_pred, y):
    eps = 1e-8
    losses = y * torch.log(y_pred + eps) + (1.0 - y) * torch.log(1.0 - y_pred + eps)
    return -1.0 * losses.mean()


def forward(X, W1, b1, W2, b2):
    h = relu(X * W1 + b1)
    return logistic(h @ W2 + b2)


# 7.5
def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            step = lr * p.grad
            p.copy_(p - step)
        for p in params:
            p.grad.zero_()


# 7.6
def init_params(hidden=20):
    W1 = torch.empty(2, hidden).uniform_(-1, 1)
    b1 = torch.empty(hidden).uniform_(-0.5, 0.5)
    W2 = torch.empty(hidden, 1).uniform_(-0.3, 0.3)
    b2 = torch.empty(1).uniform_(-0.3, 0.3)
    return [t.requires_grad_() for t in (W1, b1, W2, b2)]


# 7.7
def train(params, X, Y, epochs=100, lr=0.1):
    all_losses = []
    for epoch in range(epochs):
        for xs, ys in zip(X.split(1), Y.split(1)):
            loss = cross_entropy(forward(xs, *params), ys)
            loss.backward()
            sgd(params, lr)
            all_losses.append(loss.item())
    return all_losses


if __name__ == "__main__":
    torch.manual_seed(0)
    X = torch.rand(100, 2)
    Y = ((X[:, 0:1] > 0.5) != (X[:, 1:2] > 0.5)).float()
    print(sum(train(init_params(), X, Y, 20)[-100:]))
