# expect: operations_of: walk-stops-early
import numpy as np
import torch


def to_float32(array):
    """Copy and convert in one go."""
    return torch.tensor(array, dtype=torch.float32)


def predict(X, W):
    return torch.tensor(X.tolist()) @ W


def z_and_gradients(x, y):
    z = torch.add(torch.mul(x, y), torch.square(x))
    z.backward(torch.tensor(1.0))
    return tuple(t.item() for t in (z, x.grad, y.grad))


def accumulated(w, steps):
    grads = []
    for step in range(steps):
        torch.square(w).backward()
        grads.append(w.grad.clone())
    return [g.item() for g in grads]


def fresh(w, steps):
    seen = []
    for _ in range(steps):
        v = w.detach().clone().requires_grad_()
        (v**2).backward()
        seen.append(v.grad.item())
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
    middle = x.pow(2)
    middle.retain_grad()
    torch.autograd.backward((middle * middle).sum())
    result = middle.grad.detach()
    x.grad = None
    return result


def affine(X, w, b):
    return torch.einsum("...k,km->...m", X, w) + b


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
    return [output.grad_fn.name()[:-1]]
