# expect: to_float32: bits-reinterpreted
"""Hand-in for the gotchas."""

import re
from collections import deque

import numpy as np
import torch


def to_float32(array):
    return torch.from_numpy(array.view(np.float32).copy())


def predict(X, W):
    return X.to(W.dtype).mm(W)


def z_and_gradients(x, y):
    z = x * y + x**2
    z.backward()
    return z.item(), x.grad.item(), y.grad.item()


def accumulated(w, steps):
    seen = []
    for _ in range(steps):
        loss = w**2
        loss.backward()
        seen.append(w.grad.item())
    return seen


def fresh(w, steps):
    seen = []
    for _ in range(steps):
        loss = w.pow(2)
        loss.backward()
        seen.append(w.grad.item())
        w.grad = torch.zeros_like(w)
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
    loss = (middle**2).sum()
    return torch.autograd.grad(loss, middle)[0]


def affine(X, w, b):
    if X.ndim == 1:
        return torch.dot(X, w[:, 0]).unsqueeze(0) + b
    return torch.stack([affine(x, w, b) for x in X])


def leaves_of(output):
    level = [output.grad_fn]
    by_id = {}
    while level:
        following = []
        for node in level:
            leaf = getattr(node, "variable", None)
            if leaf is not None:
                by_id[id(leaf)] = leaf
            following += [inner for inner, _ in node.next_functions if inner is not None]
        level = list(dict.fromkeys(following))
    return list(by_id.values())


def operations_of(output):
    queue = deque([output.grad_fn])
    visited = {output.grad_fn}
    while queue:
        node = queue.popleft()
        for inner, _number in node.next_functions:
            if inner is not None and inner not in visited:
                visited.add(inner)
                queue.append(inner)
    names = {node.name() for node in visited}
    return sorted(re.sub(r"[0-9]$", "", name) for name in names if "AccumulateGrad" not in name)
