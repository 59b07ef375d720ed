# expect: to_float32: float64-mixing, fresh: gradient-not-reset
import numpy as np
import torch


def to_float32(array):
    return torch.tensor(array)


def predict(X, W):
    return torch.matmul(X.type(torch.float32), W)


def z_and_gradients(x, y):
    z = x * y + x**2
    z.backward()
    return z.item(), x.grad.item(), y.grad.item()


def accumulated(w, steps):
    numbers = torch.zeros(steps)
    for i in range(steps):
        (w**2).backward()
        with torch.no_grad():
            numbers[i] = w.grad
    return numbers.tolist()


def fresh(w, steps):
    seen = []
    for _ in range(steps):
        (w**2).backward()
        seen.append(w.grad.item())
    return seen


def update(w, lr):
    loss = torch.linalg.norm(w) ** 2
    loss.backward()
    w.data = w.data - lr * w.grad.data
    w.grad.data.zero_()


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
    middle = (x**2).detach().requires_grad_()
    loss = (middle**2).sum()
    loss.backward()
    return middle.grad


def affine(X, w, b):
    if X.ndim == 1:
        return torch.dot(X, w[:, 0]).unsqueeze(0) + b
    return torch.stack([affine(x, w, b) for x in X])


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


def collect(node, names):
    if node is None or hasattr(node, "variable"):
        return names
    name = node.name()
    while name[-1].isdigit():
        name = name[:-1]
    names = names | {name}
    for following, _ in node.next_functions:
        names = collect(following, names)
    return names


def operations_of(output):
    return tuple(collect(output.grad_fn, frozenset()))
