# expect: operations_of: walk-stops-early
# My answers.
import numpy as np
import torch


def to_float32(array):
    return torch.asarray(array, copy=True).to(dtype=torch.float32)


def predict(X, W):
    X = X.float()
    return (W.T @ X.T).T


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
    seen = []
    for _ in range(steps):
        loss = w**2
        loss.backward()
        seen.append(w.grad.item())
    return seen


def fresh(w, steps):
    result = []
    for _ in range(steps):
        torch.square(w).backward()
        result.append(w.grad.item())
        w.grad *= 0
    return result


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
    with torch.no_grad():
        start = x**2
    middle = start.clone().requires_grad_(True)
    torch.sum(middle**2).backward()
    return middle.grad.clone()


def affine(X, w, b):
    if X.ndim == 1:
        return torch.dot(X, w[:, 0]).unsqueeze(0) + b
    return torch.stack([affine(x, w, b) for x in X])


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
    nodes = [output.grad_fn] + [n for n, _ in output.grad_fn.next_functions if n is not None]
    return {n.name()[:-1] for n in nodes if not hasattr(n, "variable")}
