# attack: names put together at run time, so that no reader of the source finds them
# bug: relu: built-in-used
# bug: logistic: built-in-used
import torch


def relu(x):
    return getattr(torch, "".join(["re", "lu"]))(x)


def logistic(x):
    return getattr(x, "diomgis"[::-1])()
