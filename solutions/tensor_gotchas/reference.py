"""The model answer, with the idioms of the handout."""

import torch


def to_float32(array):
    return torch.tensor(array, dtype=torch.float32)


def predict(X, W):
    return X.to(torch.float32) @ W


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
        loss = w**2
        loss.backward()
        seen.append(w.grad.item())
        w.grad.zero_()
    return seen


def update(w, lr):
    loss = (w**2).sum()
    loss.backward()
    with torch.no_grad():
        w -= lr * w.grad
    w.grad.zero_()


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
    middle = x**2
    middle.retain_grad()
    loss = (middle**2).sum()
    loss.backward()
    return middle.grad


def affine(X, w, b):
    return X @ w + b


def nodes_behind(output):
    nodes = []
    waiting = [output.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in nodes:
            nodes.append(node)
            waiting.extend(before for before, _ in node.next_functions)
    return nodes


def leaves_of(output):
    return [node.variable for node in nodes_behind(output) if hasattr(node, "variable")]


def operations_of(output):
    names = set()
    for node in nodes_behind(output):
        if not hasattr(node, "variable"):
            names.add(node.name().rstrip("0123456789"))
    return names
