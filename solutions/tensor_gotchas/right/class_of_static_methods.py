import numpy as np
import torch


class Gotchas:
    """All in one place."""

    @staticmethod
    def convert(array):
        return torch.tensor(array, dtype=torch.float32)

    @staticmethod
    def multiply(X, W):
        return X.float() @ W

    @staticmethod
    def slopes(x, y):
        z = x * y + x**2
        z.backward()
        return z.item(), x.grad.item(), y.grad.item()

    @classmethod
    def passes(cls, w, steps, reset):
        seen = []
        for _ in range(steps):
            if reset:
                w.grad = None
            (w**2).backward()
            seen.append(w.grad.item())
        return seen

    @staticmethod
    def loss(w):
        return (w**2).sum()

    @classmethod
    def step(cls, w, lr):
        loss = cls.loss(w)
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
        w.grad = None
        return loss.item()


to_float32 = Gotchas.convert
predict = Gotchas.multiply
z_and_gradients = Gotchas.slopes


def accumulated(w, steps):
    return Gotchas.passes(w, steps, reset=False)


def fresh(w, steps):
    return Gotchas.passes(w, steps, reset=True)


update = Gotchas.step


def record_losses(w, lr, steps):
    return [Gotchas.step(w, lr) for _ in range(steps)]


def gradient_of_middle(x):
    middle = x**2
    (gradient,) = torch.autograd.grad(Gotchas.loss(middle), middle)
    return gradient


affine = lambda X, w, b: X @ w + b


class Tape:
    def __init__(self, output):
        self.nodes = []
        self.follow(output.grad_fn)

    def follow(self, node):
        if node is not None and node not in self.nodes:
            self.nodes.append(node)
            for inner, _ in node.next_functions:
                self.follow(inner)


def leaves_of(output):
    return [n.variable for n in Tape(output).nodes if hasattr(n, "variable")]


def operations_of(output):
    return {n.name()[:-1] for n in Tape(output).nodes if not hasattr(n, "variable")}
