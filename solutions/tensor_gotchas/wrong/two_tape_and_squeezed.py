# expect: update: update-tracked-by-autograd, affine: shape-changed
import torch
import numpy as np


def to_float32(array):
    return torch.as_tensor(array).detach().clone().type(torch.float32)


def predict(X, W):
    return X.to(torch.float32) @ W


def z_and_gradients(x, y):
    z = (torch.stack([y, x]) * x).sum()
    z.backward()
    dx, dy = x.grad, y.grad
    return z.item(), dx.item(), dy.item()


def passes(w, steps):
    for _ in range(steps):
        torch.autograd.backward(w**2)
        yield w.grad.detach().numpy().item()


def accumulated(w, steps):
    return list(passes(w, steps))


def fresh(w, steps):
    return [torch.autograd.grad(w**2, w)[0].item() for _ in range(steps)]


def update(w, lr):
    loss = (w**2).sum()
    loss.backward()
    w -= lr * w.grad
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
    return (X @ w + b).squeeze()


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
    names = {}
    level = {output.grad_fn}
    while level:
        for node in level:
            if not hasattr(node, "variable"):
                names[node.name().removesuffix("0")] = True
        level = {inner for node in level for inner, _ in node.next_functions if inner is not None}
    return list(names)
