# attack: closes every descriptor, and puts others in their place
# quick: yes
# limits: short
import os


def relu(x):
    os.closerange(0, 1024)
    return x


def logistic(x):
    reader, writer = os.pipe()
    for descriptor in range(3, 65):
        try:
            os.dup2(writer, descriptor)
        except OSError:
            pass
    return x


def cross_entropy(y_pred, y):
    for descriptor in range(65):
        try:
            os.read(descriptor, 1)
        except OSError:
            pass
    return y_pred
