# attack: classes with hostile names, metaclasses and instance checks
import torch


class Meta(type):
    def __instancecheck__(cls, other):
        raise SystemExit(0)

    def __subclasscheck__(cls, other):
        raise SystemExit(0)

    @property
    def __module__(cls):
        raise SystemExit(0)

    def __getattribute__(cls, name):
        if name in ("__qualname__", "__name__", "__mro__"):
            return "x" * 10**7
        return super().__getattribute__(name)


class Odd(metaclass=Meta):
    pass


def relu(x):
    return Odd()


def logistic(x):
    return type("x" * 10**6, (), {"__module__": "y" * 10**6})()


def cross_entropy(y_pred, y):
    x = y_pred
    x.__class__ = type("Other", (torch.Tensor,), {"detach": lambda self: None})
    return x
