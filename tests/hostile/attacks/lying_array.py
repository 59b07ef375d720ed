# attack: array subclasses that lie about shape, dtype and bytes
import numpy as np


class Lying(np.ndarray):
    @property
    def shape(self):
        return (5, 4)

    @property
    def dtype(self):
        return np.dtype("float32")

    def tobytes(self, *args):
        return b"\0" * 80

    def __array_wrap__(self, *args):
        raise SystemExit(0)

    def __array_finalize__(self, other):
        pass


def relu(x):
    return np.zeros(3).view(Lying)


def logistic(x):
    return np.array([object()] * 3)


def cross_entropy(y_pred, y):
    return np.zeros((2, 2), dtype=[("a", "f4"), ("b", "O")])
