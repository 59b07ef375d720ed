# Invented for the demonstration: a colon is missing, so that Python cannot read the file.
import torch


def relu(x):
    return torch.where(x > 0, x, 0.0)


def logistic(x)
    return 1 / (1 + torch.exp(-x))


def cross_entropy(y_pred, y):
    return -(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred)).mean()
