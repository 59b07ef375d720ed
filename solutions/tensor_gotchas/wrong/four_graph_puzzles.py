# expect: leaves_of: node-not-tensor, operations_of: name-keeps-digit, z_and_gradients: backward-missing, gradient_of_middle: wrong-return-type
"""Hand-in for the gotchas."""

import numpy as np
import torch


def to_float32(array):
    if array.dtype != np.float32:
        array = array.astype("float32")
    return torch.tensor(array)


def predict(X, W):
    X = X.float()
    return (W.T @ X.T).T


def z_and_gradients(x, y):
    z = x * y + x**2
    return z.item(), x.grad.item(), y.grad.item()


def accumulated(w, steps):
    out = [0.0] * steps
    for i in range(steps):
        loss = torch.pow(w, 2)
        loss.backward()
        out[i] = w.grad.tolist()
    return out


def fresh(w, steps):
    result = []
    for _ in range(steps):
        torch.square(w).backward()
        result.append(w.grad.item())
        w.grad.fill_(0.0)
    return result


def update(w, lr):
    previous = torch.is_grad_enabled()
    loss = (w * w).sum()
    loss.backward()
    torch.set_grad_enabled(False)
    try:
        w -= lr * w.grad
    finally:
        torch.set_grad_enabled(previous)
    w.grad.zero_()


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
    middle = x**2
    loss = (middle**2).sum()
    return torch.autograd.grad(loss, middle)


def affine(X, w, b):
    return torch.nn.functional.linear(X, w.T, b)


def leaves_of(output):
    found, waiting = [], [output.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in found:
            continue
        if type(node).__name__ == "AccumulateGrad":
            found.append(node)
        waiting += [inner for inner, _ in node.next_functions]
    return found


def operations_of(output):
    seen, waiting = [], [output.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.append(node)
        waiting += [inner for inner, _ in node.next_functions]
    return {n.name() for n in seen if not hasattr(n, "variable")}
