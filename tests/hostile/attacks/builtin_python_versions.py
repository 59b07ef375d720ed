# attack: the versions in Python that torch has for its compilers
# bug: relu: built-in-used
# bug: logistic: built-in-used
# review: yes
import torch._refs
import torch._refs.nn.functional as R

squash = torch._refs.sigmoid


def relu(x):
    return R.relu(x)


def logistic(x):
    return squash(x)
