import re
from collections import deque

import numpy as np
import torch


def to_float32(array):
    """Copy and convert in one go."""
    return torch.tensor(array, dtype=torch.float32)


def predict(X, W):
    return torch.nn.functional.linear(X.float(), W.t())


def z_and_gradients(x, y):
    z = x * (y + x)
    z.backward()
    return [z.item(), x.grad.item(), y.grad.item()]


def accumulated(w, steps):
    history = []
    loss = w**2
    while len(history) < steps:
        loss.backward(retain_graph=True)
        history.append(w.grad.item())
    return history


def fresh(w, steps):
    return [torch.autograd.grad(w**2, w)[0].item() for _ in range(steps)]


def update(w, lr):
    loss = (w**2).sum()
    loss.backward()
    w.data -= lr * w.grad
    w.grad.zero_()
    return loss.item()


def record_losses(w, lr, steps):
    losses = []
    for _ in range(steps):
        loss = (w**2).sum()
        loss.backward()
        losses.append(loss.item())
        with torch.no_grad():
            w -= lr * w.grad
        w.grad.zero_()
    return losses


def gradient_of_middle(x):
    middle = x.pow(2)
    middle.retain_grad()
    torch.autograd.backward((middle * middle).sum())
    result = middle.grad.detach()
    x.grad = None
    return result


def affine(X, w, b):
    return (X.unsqueeze(-1) * w).sum(dim=-2) + b


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
