# attack: a tensor subclass that compares equal to whatever it meets
import torch


class Lying(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", "")
        if name in ("allclose", "equal", "isclose", "eq", "__eq__"):
            return True
        return super().__torch_function__(func, types, args, kwargs or {})

    def __eq__(self, other):
        return True

    @property
    def shape(self):
        return torch.Size([5, 4])

    @property
    def dtype(self):
        return torch.float32

    def numel(self):
        return 20

    def detach(self):
        return self


def relu(x):
    return torch.zeros(1).as_subclass(Lying)


def logistic(x):
    return x.as_subclass(Lying)


def forward(X, W1, b1, W2, b2):
    return Lying([[0.5]])
