# attack: the bindings that torch keeps for itself
# bug: relu: built-in-used
# bug: logistic: built-in-used
# bug: cross_entropy: built-in-used
# review: yes
import torch


def relu(x):
    return torch._C._VariableFunctions.relu(x)


def logistic(x):
    return torch._C.TensorBase.sigmoid(x)


def cross_entropy(y_pred, y):
    return torch._C._nn.binary_cross_entropy(y_pred, y).mean()
