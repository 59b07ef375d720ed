import numpy as np
import torch


def to_float32(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(array.copy()).float()


def predict(X, W):
    X = X.float()
    return (W.T @ X.T).T


def z_and_gradients(x, y):
    product = x * y
    square = torch.pow(x, 2)
    z = product + square
    torch.autograd.backward(z)
    return (float(z.detach()), float(x.grad), float(y.grad))


def accumulated(w, steps):
    history = []
    loss = w**2
    while len(history) < steps:
        loss.backward(retain_graph=True)
        history.append(w.grad.item())
    return history


def fresh(w, steps):
    grads = []
    for _ in range(steps):
        before = 0.0 if w.grad is None else w.grad.item()
        (w**2).backward()
        grads.append(w.grad.item() - before)
    return grads


def update(w, lr):
    previous = torch.is_grad_enabled()
    loss = (w * w).sum()
    loss.backward()
    torch.set_grad_enabled(False)
    try:
        w -= lr * w.grad
    finally:
        torch.set_grad_enabled(previous)
    w.grad.zero_()


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
    middle = x**2
    middle.retain_grad()
    loss = (middle**2).sum()
    loss.backward()
    return middle.grad


def affine(X, w, b):
    if X.ndim == 1:
        return torch.dot(X, w[:, 0]).unsqueeze(0) + b
    return torch.stack([affine(x, w, b) for x in X])


def walk(node, seen):
    if node is None or node in seen:
        return seen
    seen.append(node)
    for following, _ in node.next_functions:
        walk(following, seen)
    return seen


def leaves_of(output):
    leaves = []
    for node in walk(output.grad_fn, []):
        try:
            leaves.append(node.variable)
        except AttributeError:
            pass
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
