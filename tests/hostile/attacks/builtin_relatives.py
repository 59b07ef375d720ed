# attack: relatives of the built-ins with the parameters that make them the same
# bug: relu: built-in-used
# bug: logistic: built-in-used
# bug: cross_entropy: built-in-used
import torch
import torch.nn.functional as F


def relu(x):
    return F.leaky_relu(x, 0.0)


def logistic(x):
    return torch.softmax(torch.stack([x, torch.zeros_like(x)]), 0)[0]


def cross_entropy(y_pred, y):
    both = torch.stack([1 - y_pred.reshape(-1), y_pred.reshape(-1)], 1).log()
    return F.nll_loss(both, y.reshape(-1).long())
