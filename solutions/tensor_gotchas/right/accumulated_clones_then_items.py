"""Hand-in for the gotchas."""

import re
from collections import deque

import numpy as np
import torch


def to_float32(array):
    return torch.as_tensor(array).detach().clone().type(torch.float32)


def predict(X, W):
    rows = [row @ W for row in X.to(dtype=torch.float32)]
    return torch.stack(rows)


def z_and_gradients(x, y):
    z = x * y + x**2
    z.backward()
    return z.item(), x.grad.item(), y.grad.item()


def accumulated(w, steps):
    grads = []
    for step in range(steps):
        torch.square(w).backward()
        grads.append(w.grad.clone())
    return [g.item() for g in grads]


def fresh(w, steps):
    seen = []
    for _ in range(steps):
        loss = w.pow(2)
        loss.backward()
        seen.append(w.grad.item())
        w.grad = torch.zeros_like(w)
    return seen


def update(w, lr):
    w.pow(2).sum().backward()
    with torch.no_grad():
        w.add_(w.grad, alpha=-lr)
    w.grad = None


def record_losses(w, lr, steps):
    losses = []
    for _ in range(steps):
        w.grad = None
        loss = torch.square(w).sum()
        losses.append(float(loss.detach()))
        loss.backward()
        with torch.no_grad():
            w.sub_(lr * w.grad)
    return losses


def gradient_of_middle(x):
    middle = x**2
    loss = (middle**2).sum()
    return torch.autograd.grad(loss, middle)[0]


def affine(X, w, b):
    return (X.unsqueeze(-1) * w).sum(dim=-2) + b


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
