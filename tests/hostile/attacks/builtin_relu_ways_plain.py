# attack: torch.relu, called as usual
# bug: relu: built-in-used
# bug: logistic: built-in-used
# quick: yes
import torch


def relu(x):
    return torch.relu(x)


def logistic(x):
    return torch.sigmoid(x)
