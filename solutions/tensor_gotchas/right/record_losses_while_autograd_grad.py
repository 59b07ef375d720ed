# My answers.
import numpy as np
import torch


def to_float32(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(array.copy()).float()


def predict(X, W):
    rows = [row @ W for row in X.to(dtype=torch.float32)]
    return torch.stack(rows)


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
    result = []
    for _ in range(steps):
        torch.square(w).backward()
        result.append(w.grad.item())
        w.grad *= 0
    return result


def update(w, lr):
    loss = (w**2).sum()
    loss.backward()
    with torch.no_grad():
        w -= lr * w.grad
    w.grad.zero_()


def record_losses(w, lr, steps):
    recorded = []
    while len(recorded) < steps:
        loss = torch.sum(w**2)
        gradient = torch.autograd.grad(loss, [w])[0]
        recorded.append(loss.item())
        with torch.no_grad():
            w.copy_(w - lr * gradient)
    return recorded


def gradient_of_middle(x):
    middle = torch.square(x)
    loss = torch.square(middle).sum()
    of_x, of_middle = torch.autograd.grad(loss, (x, middle))
    return of_middle


def affine(X, w, b):
    return (X.unsqueeze(-1) * w).sum(dim=-2) + b


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
    names = set()
    seen = set()
    waiting = [output.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if not hasattr(node, "variable"):
            names.add(node.name()[:-1])
        waiting.extend(inner for inner, _ in node.next_functions)
    return names
