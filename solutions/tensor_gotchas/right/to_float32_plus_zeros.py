"""Hand-in for the gotchas."""

import numpy as np
import torch


def to_float32(array):
    zero = torch.zeros(array.shape)
    return zero + torch.from_numpy(array).float()


def predict(X, W):
    return torch.tensor(X.tolist()) @ W


def z_and_gradients(x, y):
    z = x * y + x**2
    z.backward()
    return z.item(), x.grad.item(), y.grad.item()


def accumulated(w, steps):
    history = []
    loss = w**2
    while len(history) < steps:
        loss.backward(retain_graph=True)
        history.append(w.grad.item())
    return history


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
        loss = (w**2).sum()
        loss.backward()
        losses.append(loss.item())
        with torch.no_grad():
            w -= lr * w.grad
        w.grad.zero_()
    return losses


def gradient_of_middle(x):
    middle = x**2
    middle.retain_grad()
    loss = (middle**2).sum()
    loss.backward()
    return middle.grad


def affine(X, w, b):
    return X @ w + b


def leaves_of(output):
    result = []
    stack = [output.grad_fn]
    done = set()
    while len(stack) > 0:
        node = stack.pop()
        if node in done:
            continue
        done.add(node)
        if "AccumulateGrad" in node.name():
            leaf = node.variable
            if leaf.requires_grad and not any(leaf is other for other in result):
                result.append(leaf)
        stack.extend(n for n, _ in node.next_functions if n)
    return result


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
