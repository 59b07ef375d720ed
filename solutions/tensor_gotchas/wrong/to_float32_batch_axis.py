# expect: to_float32: shape-changed
import re
from collections import deque

import numpy as np
import torch


def to_float32(array):
    return torch.tensor(array, dtype=torch.float32).unsqueeze(0)


def predict(X, W):
    return X.float() @ W


def z_and_gradients(x, y):
    z = x * y + x**2
    z.backward()
    return z.item(), x.grad.item(), y.grad.item()


def accumulated(w, steps):
    out = [0.0] * steps
    for i in range(steps):
        loss = torch.pow(w, 2)
        loss.backward()
        out[i] = w.grad.tolist()
    return out


def fresh(w, steps):
    result = []
    for _ in range(steps):
        torch.square(w).backward()
        result.append(w.grad.item())
        w.grad.fill_(0.0)
    return result


def update(w, lr):
    loss = (w**2).sum()
    loss.backward()
    with torch.no_grad():
        w -= lr * w.grad
    w.grad.zero_()


def record_losses(w, lr, steps):
    losses = []
    for _ in range(steps):
        losses.append((w.detach() ** 2).sum().item())
        update(w, lr)
    return losses


def gradient_of_middle(x):
    middle = x.pow(2)
    middle.retain_grad()
    torch.autograd.backward((middle * middle).sum())
    result = middle.grad.detach()
    x.grad = None
    return result


def affine(X, w, b):
    return torch.tensordot(X, w, dims=1) + b


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
