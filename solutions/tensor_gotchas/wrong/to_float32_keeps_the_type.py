# expect: to_float32: float64-mixing
import numpy as np
import torch


def to_float32(array):
    return torch.tensor(array)


def predict(X, W):
    X32 = X.float()
    return torch.einsum("nk,km->nm", X32, W)


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
        w.grad = None
        (w**2).backward()
        seen.append(w.grad.item())
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
    middle = torch.square(x)
    loss = torch.square(middle).sum()
    of_x, of_middle = torch.autograd.grad(loss, (x, middle))
    return of_middle


def affine(X, w, b):
    rows = X.reshape(-1, w.shape[0])
    out = torch.mm(rows, w) + b
    return out.reshape(*X.shape[:-1], 1)


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
