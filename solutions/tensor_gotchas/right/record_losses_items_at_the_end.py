import re
from collections import deque

import numpy as np
import torch


def to_float32(array):
    return torch.asarray(array, copy=True).to(dtype=torch.float32)


def predict(X, W):
    X32 = X.float()
    return torch.einsum("nk,km->nm", X32, W)


def z_and_gradients(x, y):
    z = x * (y + x)
    z.backward()
    return [z.item(), x.grad.item(), y.grad.item()]


def accumulated(w, steps):
    seen = []
    for _ in range(steps):
        loss = w**2
        loss.backward()
        seen.append(w.grad.item())
    return seen


def fresh(w, steps):
    result = []
    for i in range(steps):
        (w**2).backward()
        g = w.grad
        w.grad = None
        result += [g.item()]
    return result


@torch.no_grad()
def move(w, lr):
    w -= lr * w.grad
    w.grad = None


def update(w, lr):
    (w * w).sum().backward()
    move(w, lr)
    return w


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
    middle = x.pow(2)
    middle.retain_grad()
    torch.autograd.backward((middle * middle).sum())
    result = middle.grad.detach()
    x.grad = None
    return result


def affine(X, w, b):
    return (X.unsqueeze(-1) * w).sum(dim=-2) + b


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
    queue = deque([output.grad_fn])
    visited = {output.grad_fn}
    while queue:
        node = queue.popleft()
        for inner, _number in node.next_functions:
            if inner is not None and inner not in visited:
                visited.add(inner)
                queue.append(inner)
    names = {node.name() for node in visited}
    return sorted(re.sub(r"[0-9]$", "", name) for name in names if "AccumulateGrad" not in name)


if __name__ == "__main__":
    a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    d = a + (a * 2).mean()
    print(leaves_of(d), operations_of(d))
