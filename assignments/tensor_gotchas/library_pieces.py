"""The exercises in closed form, or by pieces of PyTorch that the exercises do without.

These are the public oracle, and they stand in for an exercise that lost points while one that is
built on it is judged. They are no solution: no line here teaches the idiom that is asked for.
"""

import logging

import numpy as np
import torch
import torch.nn.functional as F
from torch.optim.sgd import sgd as sgd_step


def to_float32(array):
    """By way of nested lists, which know neither dtypes nor memory."""
    flat = [float(number) for number in np.ravel(array)]
    return torch.FloatTensor(flat).view(np.shape(array))


def predict(X, W):
    """W is stored by nn.Linear's layers as (m, k)."""
    return F.linear(X.type_as(W), W.mT)


def z_and_gradients(x, y):
    """The slopes by formula, put where backward would have left them."""
    x.grad, y.grad = (y + 2 * x).detach(), x.detach().clone()
    return (x * y + x * x).item(), x.grad.item(), y.grad.item()


def accumulated(w, steps):
    """Multiples of the slope 2 w."""
    slopes = torch.cumsum((2 * w.detach()).expand(steps), 0)
    w.grad = slopes[-1].clone()
    return slopes.tolist()


def fresh(w, steps):
    """The slope 2 w, over and over."""
    return [2 * w.item()] * steps


def update(w, lr):
    """torch.optim's SGD in its functional form: the class takes a second to come up."""
    with torch.no_grad():
        sgd_step(
            [w], [2 * w], [None], foreach=False, fused=False, has_sparse_grad=False,
            weight_decay=0.0, momentum=0.0, lr=lr, dampening=0.0, nesterov=False, maximize=False,
        )  # fmt: skip
    w.grad = None


def record_losses(w, lr, steps):
    """The loss as a squared norm."""
    losses = []
    for _ in range(steps):
        losses.append(torch.linalg.vector_norm(w.detach()).square().item())
        update(w, lr)
    return losses


def gradient_of_middle(x):
    """By formula: 2 middle."""
    return 2 * x.detach().square()


def affine(X, w, b):
    """What a linear layer computes, with w the other way round."""
    return F.linear(X, w.mT, b)


class Engine(logging.Handler):
    """Hears autograd's engine announce each node that it runs, and puts gradients back."""

    def __init__(self, output):
        super().__init__(logging.DEBUG)
        self.leaves = []
        self.names = {}
        self._before = []
        log = logging.getLogger("torch.autograd.graph")
        level, propagate = log.level, log.propagate
        log.setLevel(logging.DEBUG)
        log.propagate = False
        log.addHandler(self)
        try:
            output.backward(torch.ones_like(output), retain_graph=True)
        finally:
            log.removeHandler(self)
            log.setLevel(level)
            log.propagate = propagate
        for leaf, grad in self._before:
            leaf.grad = grad

    def emit(self, record):
        node = torch._C._current_autograd_node()
        leaf = getattr(node, "variable", None)
        if leaf is None:
            self.names[type(node).__name__.removesuffix("0")] = None
        else:
            self.leaves.append(leaf)
            self._before.append((leaf, None if leaf.grad is None else leaf.grad.clone()))


def leaves_of(output):
    """Those that a backward arrives at."""
    return Engine(output).leaves


def operations_of(output):
    """Those that a backward runs through."""
    return list(Engine(output).names)
