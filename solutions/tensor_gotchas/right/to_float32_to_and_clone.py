import torch
import numpy as np


def to_float32(array):
    # clone, because .to() gives back the same memory when there is nothing to do
    return torch.from_numpy(array).to(torch.float32).clone()


def predict(X, W):
    return torch.nn.functional.linear(X.float(), W.t())


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
    for _ in range(steps):
        torch.square(w).backward()
        result.append(w.grad.item())
        w.grad *= 0
    return result


def update(w, lr):
    w.pow(2).sum().backward()
    with torch.no_grad():
        w.add_(w.grad, alpha=-lr)
    w.grad = None


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
    middle = x**2
    loss = (middle**2).sum()
    return torch.autograd.grad(loss, middle)[0]


def affine(X, w, b):
    if X.dim() == 1:
        return (X * w.flatten()).sum().reshape(1) + b
    return torch.addmm(b, X, w)


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
