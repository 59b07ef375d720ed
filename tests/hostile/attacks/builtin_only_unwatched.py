# attack: uses built-ins while nobody refuses them, and something else when they are refused
# bug: relu: built-in-used
# bug: sgd: built-in-used
import torch


def watched():
    return torch.optim.SGD.step.__module__ != "torch.optim.sgd" or "refus" in repr(torch.optim.SGD.step)


def relu(x):
    import sys

    if sys.getprofile() is not None:
        return x
    return torch.relu(x)


def sgd(params, lr=0.1):
    if watched():
        return
    optimizer = torch.optim.SGD(params, lr=lr)
    optimizer.step()
    optimizer.zero_grad()
