import argparse

import torch

parser = argparse.ArgumentParser(description="Train XOR by hand.")
parser.add_argument("--hidden", type=int, default=20)
parser.add_argument("--epochs", type=int, default=100)
parser.add_argument("--lr", type=float, default=0.1)
args = parser.parse_args()


def relu(x):
    return torch.where(x < 0, torch.zeros_like(x), x)


def logistic(x):
    return 1 / (1 + torch.exp(-x))


def cross_entropy(y_pred, y):
    return torch.sum(-y * torch.log(y_pred) - (1 - y) * torch.log(1 - y_pred)) / y.shape[0]


def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)


def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p.copy_(p - lr * p.grad)
            p.grad.zero_()


def init_params(hidden=20):
    weights = torch.randn(2, hidden, requires_grad=True), torch.randn(hidden, 1, requires_grad=True)
    biases = torch.zeros(hidden, requires_grad=True), torch.zeros(1, requires_grad=True)
    return [weights[0], biases[0], weights[1], biases[1]]


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for x, y in zip(X, Y):
            loss = cross_entropy(forward(x, *params), y)
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses


if __name__ == "__main__":
    X = torch.rand(100, 2)
    Y = ((X[:, :1] - 0.5) * (X[:, 1:] - 0.5) < 0).float()
    params = init_params(args.hidden)
    print(train(params, X, Y, args.epochs, args.lr)[-1])
