from collections import deque

import numpy as np
import torch


def to_float32(array):
    if array.dtype != np.float32:
        array = array.astype("float32")
    return torch.tensor(array)


def predict(X, W):
    data = torch.as_tensor(X, dtype=torch.float32)
    products = data[:, :, None] * W[None, :, :]
    return products.sum(dim=1)


def z_of(x, y):
    return x * y + x * x


def z_and_gradients(x, y):
    z = z_of(x, y)
    z.backward()
    return z.tolist(), x.grad.tolist(), y.grad.tolist()


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
        w.grad = None
        (w**2).backward()
        seen.append(w.grad.item())
    return seen


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
        w.grad = None
        loss = torch.square(w).sum()
        losses.append(float(loss.detach()))
        loss.backward()
        with torch.no_grad():
            w.sub_(lr * w.grad)
    return losses


def gradient_of_middle(x):
    with torch.no_grad():
        start = x**2
    middle = start.clone().requires_grad_(True)
    torch.sum(middle**2).backward()
    return middle.grad.clone()


def affine(X, w, b):
    if X.dim() == 1:
        return (X * w.flatten()).sum().reshape(1) + b
    return torch.addmm(b, X, w)


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
    names = []

    def visit(node):
        if node is None:
            return
        name = type(node).__name__
        if name == "AccumulateGrad":
            return
        short = name.rstrip("0123456789")
        if short not in names:
            names.append(short)
        for inner, _ in node.next_functions:
            visit(inner)

    visit(output.grad_fn)
    return names
