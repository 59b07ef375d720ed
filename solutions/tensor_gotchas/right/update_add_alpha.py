"""Hand-in for the gotchas."""

import numpy as np
import torch


def to_float32(array):
    t = torch.tensor(array)
    return t.float()


def predict(X, W):
    X32 = X.float()
    return torch.einsum("nk,km->nm", X32, W)


def z_and_gradients(x, y):
    z = x * y + x**2
    z.backward()
    return z.item(), x.grad.item(), y.grad.item()


def accumulated(w, steps):
    def one_pass():
        (w * w).backward()
        return float(w.grad)

    return [one_pass() for _ in range(steps)]


def fresh(w, steps):
    grads = []
    for _ in range(steps):
        before = 0.0 if w.grad is None else w.grad.item()
        (w**2).backward()
        grads.append(w.grad.item() - before)
    return grads


def update(w, lr):
    w.pow(2).sum().backward()
    with torch.no_grad():
        w.add_(w.grad, alpha=-lr)
    w.grad = None


def sum_of_squares(w):
    return (w**2).sum()


def record_losses(w, lr, steps):
    values = []
    for _ in range(steps):
        loss = sum_of_squares(w)
        values.append(loss)
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
            w.grad.zero_()
    return [value.item() for value in values]


def gradient_of_middle(x):
    caught = []
    middle = x * x
    middle.register_hook(caught.append)
    (middle * middle).sum().backward()
    return caught[0]


def affine(X, w, b):
    if X.dim() == 1:
        return (X * w.flatten()).sum().reshape(1) + b
    return torch.addmm(b, X, w)


def leaves_of(output):
    leaves = set()

    def visit(node):
        for inner, _ in node.next_functions:
            if inner is None:
                continue
            if type(inner).__name__ == "AccumulateGrad":
                leaves.add(inner.variable)
            else:
                visit(inner)

    visit(output.grad_fn)
    return leaves


def operations_of(output):
    names = set()
    seen = set()
    waiting = [output.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if not hasattr(node, "variable"):
            names.add(node.name()[:-1])
        waiting.extend(inner for inner, _ in node.next_functions)
    return names
