# attack: more memory than is allowed, at once and bit by bit
# limits: short
import torch


def relu(x):
    return torch.ones(600_000_000) + 1


def logistic(x):
    kept = []
    while True:
        kept.append(bytearray(50_000_000))


def cross_entropy(y_pred, y):
    return "x" * 3_000_000_000
