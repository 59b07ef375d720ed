import torch
import numpy as np


def to_float32(array):
    t = torch.tensor(array)
    return t.float()


def predict(X, W):
    return X.float() @ W


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
    result = []
    for i in range(steps):
        (w**2).backward()
        g = w.grad
        w.grad = None
        result += [g.item()]
    return result


def update(w, lr):
    loss = (w**2).sum()
    (gradient,) = torch.autograd.grad(loss, w)
    with torch.no_grad():
        w -= lr * gradient


def record_losses(w, lr, steps):
    def step():
        loss = (w * w).sum()
        if w.grad is not None:
            w.grad.zero_()
        loss.backward()
        with torch.no_grad():
            w.add_(w.grad, alpha=-lr)
        return loss.item()

    return [step() for _ in range(steps)]


def gradient_of_middle(x):
    middle = x**2
    middle.retain_grad()
    loss = (middle**2).sum()
    loss.backward()
    return middle.grad


def affine(X, w, b):
    return torch.matmul(X, w).add(b)


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
