# expect: to_float32: argument-changed
"""Hand-in for the gotchas."""

import numpy as np
import torch


def to_float32(array):
    array -= array.mean().astype(array.dtype)
    return torch.tensor(array, dtype=torch.float32)


def predict(X, W):
    return torch.matmul(X.type(torch.float32), W)


def z_of(x, y):
    return x * y + x * x


def z_and_gradients(x, y):
    z = z_of(x, y)
    z.backward()
    return z.tolist(), x.grad.tolist(), y.grad.tolist()


def passes(w, steps):
    for _ in range(steps):
        torch.autograd.backward(w**2)
        yield w.grad.detach().numpy().item()


def accumulated(w, steps):
    return list(passes(w, steps))


def fresh(w, steps):
    seen = []
    for _ in range(steps):
        v = w.detach().clone().requires_grad_()
        (v**2).backward()
        seen.append(v.grad.item())
    return seen


def update(w, lr):
    flat = w.reshape(-1)
    loss = flat @ flat
    loss.backward()
    with torch.no_grad():
        w.copy_(w - lr * w.grad)
        w.grad = torch.zeros_like(w.grad)


def record_losses(w, lr, steps):
    recorded = [0.0] * steps
    for i in range(steps):
        loss = (w**2).sum()
        recorded[i] = loss.tolist()
        loss.backward()
        w.data -= lr * w.grad
        w.grad = None
    return recorded


def gradient_of_middle(x):
    middle = x**2
    middle.retain_grad()
    loss = (middle**2).sum()
    loss.backward()
    return middle.grad


def affine(X, w, b):
    return X @ w + b


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


def collect(node, names):
    if node is None or hasattr(node, "variable"):
        return names
    name = node.name()
    while name[-1].isdigit():
        name = name[:-1]
    names = names | {name}
    for following, _ in node.next_functions:
        names = collect(following, names)
    return names


def operations_of(output):
    return tuple(collect(output.grad_fn, frozenset()))
