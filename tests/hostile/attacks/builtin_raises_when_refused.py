# attack: raises something of its own where a built-in is refused
# bug: relu: built-in-used
import torch


def relu(x):
    try:
        return torch.relu(x)
    except BaseException:
        raise ValueError("a bug of mine") from None
