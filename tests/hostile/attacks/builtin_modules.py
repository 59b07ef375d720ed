# attack: modules made when the file is loaded
# bug: relu: built-in-used
# bug: logistic: built-in-used
# bug: cross_entropy: built-in-used
import torch.nn as nn

relu = nn.ReLU()
squeeze = nn.Sigmoid()
loss = nn.BCELoss()


def logistic(x):
    return squeeze(x)


def cross_entropy(y_pred, y):
    return loss(y_pred, y)
