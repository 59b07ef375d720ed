# My answers.
from collections import deque

import numpy as np
import torch


def to_float32(array):
    out = torch.empty(array.shape)
    out.copy_(torch.from_numpy(array))
    return out


def predict(X, W):
    return torch.matmul(X.type(torch.float32), W)


def z_and_gradients(x, y):
    x.grad = None
    y.grad = None
    z = x**2 + y * x
    z.backward()
    result = [z.detach().item()]
    for leaf in (x, y):
        result.append(leaf.grad.item())
    return result


def accumulated(w, steps):
    def one_pass():
        (w * w).backward()
        return float(w.grad)

    return [one_pass() for _ in range(steps)]


def fresh(w, steps):
    seen = []
    for _ in range(steps):
        v = w.detach().clone().requires_grad_()
        (v**2).backward()
        seen.append(v.grad.item())
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
    middle = (x**2).detach().requires_grad_()
    loss = (middle**2).sum()
    loss.backward()
    return middle.grad


def affine(X, w, b):
    if X.ndim == 1:
        return torch.dot(X, w[:, 0]).unsqueeze(0) + b
    return torch.stack([affine(x, w, b) for x in X])


def leaves_of(output):
    queue = deque([output.grad_fn])
    visited = {output.grad_fn: None}
    while queue:
        node = queue.popleft()
        for inner, _number in node.next_functions:
            if inner is not None and inner not in visited:
                visited[inner] = None
                queue.append(inner)
    return tuple(node.variable for node in visited if hasattr(node, "variable"))


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
