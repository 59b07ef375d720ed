# expect: to_float32: memory-shared
"""Hand-in for the gotchas."""

import numpy as np
import torch


def to_float32(array):
    return torch.as_tensor(array, dtype=torch.float32)


def predict(X, W):
    """W is what requires grad, so X has to give way."""
    assert W.dtype is torch.float32
    return torch.from_numpy(X.numpy().astype(np.float32)) @ W


def z_and_gradients(x, y):
    z = x * (y + x)
    z.backward()
    return [z.item(), x.grad.item(), y.grad.item()]


def accumulated(w, steps):
    def one_pass():
        (w * w).backward()
        return float(w.grad)

    return [one_pass() for _ in range(steps)]


def fresh(w, steps):
    seen = []
    for _ in range(steps):
        if w.grad is not None:
            w.grad.zero_()
        loss = w * w
        loss.backward()
        seen.append(float(w.grad))
    return seen


def update(w, lr):
    loss = (w**2).sum()
    (gradient,) = torch.autograd.grad(loss, w)
    with torch.no_grad():
        w -= lr * gradient


def record_losses(w, lr, steps):
    def step():
        loss = (w * w).sum()
        if w.grad is not None:
            w.grad.zero_()
        loss.backward()
        with torch.no_grad():
            w.add_(w.grad, alpha=-lr)
        return loss.item()

    return [step() for _ in range(steps)]


def gradient_of_middle(x):
    caught = []
    middle = x * x
    middle.register_hook(caught.append)
    (middle * middle).sum().backward()
    return caught[0]


def affine(X, w, b):
    return torch.matmul(X, w).add(b)


def leaves_of(output):
    found = []
    seen = set()
    waiting = [output.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable)
        for edge in node.next_functions:
            waiting.append(edge[0])
    return found


def operations_of(output):
    names = []

    def visit(node):
        if node is None:
            return
        name = type(node).__name__
        if name == "AccumulateGrad":
            return
        short = name.rstrip("0123456789")
        if short not in names:
            names.append(short)
        for inner, _ in node.next_functions:
            visit(inner)

    visit(output.grad_fn)
    return names
