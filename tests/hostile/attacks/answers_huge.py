# attack: answers of many megabytes, and small ones that unfold
# limits: short
import torch


def relu(x):
    return torch.zeros(40_000_000)


def logistic(x):
    return torch.zeros(1).expand(10**12)


def cross_entropy(y_pred, y):
    return [0.0] * 5_000_000


def forward(X, W1, b1, W2, b2):
    return [[torch.zeros(1)] * 1000] * 1000


def train(params, X, Y, epochs=100, lr=0.1):
    return {i: "x" * 1000 for i in range(100_000)}
