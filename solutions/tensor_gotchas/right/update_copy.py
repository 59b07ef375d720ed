import re
from collections import deque

import numpy as np
import torch


def to_float32(array):
    out = torch.empty(array.shape)
    out.copy_(torch.from_numpy(array))
    return out


def predict(X, W):
    """W is what requires grad, so X has to give way."""
    assert W.dtype is torch.float32
    return torch.from_numpy(X.numpy().astype(np.float32)) @ W


def z_and_gradients(x, y):
    product = x * y
    square = torch.pow(x, 2)
    z = product + square
    torch.autograd.backward(z)
    return (float(z.detach()), float(x.grad), float(y.grad))


def accumulated(w, steps):
    grads = []
    for step in range(steps):
        torch.square(w).backward()
        grads.append(w.grad.clone())
    return [g.item() for g in grads]


def fresh(w, steps):
    result = []
    for _ in range(steps):
        torch.square(w).backward()
        result.append(w.grad.item())
        w.grad.fill_(0.0)
    return result


def update(w, lr):
    flat = w.reshape(-1)
    loss = flat @ flat
    loss.backward()
    with torch.no_grad():
        w.copy_(w - lr * w.grad)
        w.grad = torch.zeros_like(w.grad)


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
    caught = []
    middle = x * x
    middle.register_hook(caught.append)
    (middle * middle).sum().backward()
    return caught[0]


def affine(X, w, b):
    if X.dim() == 1:
        return (X * w.flatten()).sum().reshape(1) + b
    return torch.addmm(b, X, w)


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


x = torch.tensor(3.0, requires_grad=True)
y = torch.tensor(4.0, requires_grad=True)
print(z_and_gradients(x, y))
w = torch.tensor([1.0, 2.0], requires_grad=True)
update(w, 0.1)
print(w)
