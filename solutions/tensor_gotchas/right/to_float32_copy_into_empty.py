import numpy as np
import torch


def to_float32(array):
    out = torch.empty(array.shape)
    out.copy_(torch.from_numpy(array))
    return out


def predict(X, W):
    return X.to(torch.float32) @ W


def z_and_gradients(x, y):
    z = (torch.stack([y, x]) * x).sum()
    z.backward()
    dx, dy = x.grad, y.grad
    return z.item(), dx.item(), dy.item()


def accumulated(w, steps):
    grads = []
    for step in range(steps):
        torch.square(w).backward()
        grads.append(w.grad.clone())
    return [g.item() for g in grads]


def fresh(w, steps):
    seen = []
    for _ in range(steps):
        loss = w**2
        loss.backward()
        seen.append(w.grad.item())
        w.grad.zero_()
    return seen


@torch.no_grad()
def move(w, lr):
    w -= lr * w.grad
    w.grad = None


def update(w, lr):
    (w * w).sum().backward()
    move(w, lr)
    return w


def record_losses(w, lr, steps):
    recorded = [0.0] * steps
    for i in range(steps):
        loss = (w**2).sum()
        recorded[i] = loss.tolist()
        loss.backward()
        w.data -= lr * w.grad
        w.grad = None
    return recorded


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
