# My answers.
from collections import deque

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
    grads = []
    for step in range(steps):
        torch.square(w).backward()
        grads.append(w.grad.clone())
    return [g.item() for g in grads]


def fresh(w, steps):
    seen = []
    for _ in range(steps):
        w.grad = None
        (w**2).backward()
        seen.append(w.grad.item())
    return seen


def update(w, lr):
    loss = torch.linalg.norm(w) ** 2
    loss.backward()
    w.data = w.data - lr * w.grad.data
    w.grad.data.zero_()


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
    middle = torch.square(x)
    loss = torch.square(middle).sum()
    of_x, of_middle = torch.autograd.grad(loss, (x, middle))
    return of_middle


def affine(X, w, b):
    return torch.einsum("...k,km->...m", X, w) + b


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
    names = {}
    level = {output.grad_fn}
    while level:
        for node in level:
            if not hasattr(node, "variable"):
                names[node.name().removesuffix("0")] = True
        level = {inner for node in level for inner, _ in node.next_functions if inner is not None}
    return list(names)
