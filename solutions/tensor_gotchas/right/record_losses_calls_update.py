import re
from collections import deque

import numpy as np
import torch


def to_float32(array):
    return torch.tensor(array.tolist(), dtype=torch.float32)


def predict(X, W):
    return torch.tensor(X.tolist()) @ W


def z_and_gradients(x, y):
    z = torch.add(torch.mul(x, y), torch.square(x))
    z.backward(torch.tensor(1.0))
    return tuple(t.item() for t in (z, x.grad, y.grad))


def accumulated(w, steps):
    grads = []
    for step in range(steps):
        torch.square(w).backward()
        grads.append(w.grad.clone())
    return [g.item() for g in grads]


def fresh(w, steps):
    result = []
    for _ in range(steps):
        torch.square(w).backward()
        result.append(w.grad.item())
        w.grad *= 0
    return result


def update(w, lr):
    w.grad = None
    loss = sum(element**2 for element in w.flatten())
    loss.backward()
    step = -lr * w.grad
    with torch.no_grad():
        w += step
    w.grad.fill_(0)


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
    return torch.nn.functional.linear(X, w.T, b)


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
