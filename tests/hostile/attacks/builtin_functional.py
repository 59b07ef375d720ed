# attack: the built-ins by other names: threshold, expit
# bug: relu: built-in-used
# bug: logistic: built-in-used
# bug: cross_entropy: built-in-used
import torch
import torch.nn.functional as F


def relu(x):
    return F.threshold(x, 0.0, 0.0)


def logistic(x):
    return torch.special.expit(x)


def cross_entropy(y_pred, y):
    return F.binary_cross_entropy(y_pred, y)
