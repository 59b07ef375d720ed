# expect: to_float32: integer-tensors
# My answers.
import numpy as np
import torch


def to_float32(array):
    return torch.tensor(array).long()


def predict(X, W):
    data = torch.as_tensor(X, dtype=torch.float32)
    products = data[:, :, None] * W[None, :, :]
    return products.sum(dim=1)


def z_and_gradients(x, y):
    z = (torch.stack([y, x]) * x).sum()
    z.backward()
    dx, dy = x.grad, y.grad
    return z.item(), dx.item(), dy.item()


def accumulated(w, steps):
    def one_pass():
        (w * w).backward()
        return float(w.grad)

    return [one_pass() for _ in range(steps)]


def fresh(w, steps):
    seen = []
    for _ in range(steps):
        loss = w**2
        loss.backward()
        seen.append(w.grad.item())
        w.grad.zero_()
    return seen


def update(w, lr):
    loss = torch.sum(torch.square(w))
    loss.backward()
    with torch.no_grad():
        w.sub_(lr * w.grad)
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
    return X @ w + b


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
    names = {}
    level = {output.grad_fn}
    while level:
        for node in level:
            if not hasattr(node, "variable"):
                names[node.name().removesuffix("0")] = True
        level = {inner for node in level for inner, _ in node.next_functions if inner is not None}
    return list(names)
