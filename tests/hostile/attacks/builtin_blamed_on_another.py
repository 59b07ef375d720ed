# attack: a function inside of forward with the name of an exercise that was done by hand
# right: relu logistic
# bug: forward: built-in-used
import torch


def relu(x):
    return torch.where(x > 0, x, torch.zeros_like(x))


def logistic(x):
    return 1 / (1 + torch.exp(-x))


def forward(X, W1, b1, W2, b2):
    def relu(x):
        return torch.relu(x)

    return torch.sigmoid(relu(X @ W1 + b1) @ W2 + b2)
