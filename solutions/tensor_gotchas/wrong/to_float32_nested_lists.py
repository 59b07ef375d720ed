# expect: to_float32: wrong-return-type
import numpy as np
import torch


def to_float32(array):
    return torch.tensor(array, dtype=torch.float32).tolist()


def predict(X, W):
    return X.to(torch.float32) @ W


def z_and_gradients(x, y):
    x.grad = None
    y.grad = None
    z = x**2 + y * x
    z.backward()
    result = [z.detach().item()]
    for leaf in (x, y):
        result.append(leaf.grad.item())
    return result


def accumulated(w, steps):
    seen = []
    for _ in range(steps):
        loss = w**2
        loss.backward()
        seen.append(w.grad.item())
    return seen


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
    recorded = []
    while len(recorded) < steps:
        loss = torch.sum(w**2)
        gradient = torch.autograd.grad(loss, [w])[0]
        recorded.append(loss.item())
        with torch.no_grad():
            w.copy_(w - lr * gradient)
    return recorded


def gradient_of_middle(x):
    middle = x**2
    loss = (middle**2).sum()
    return torch.autograd.grad(loss, middle)[0]


def affine(X, w, b):
    if X.ndim == 1:
        return torch.dot(X, w[:, 0]).unsqueeze(0) + b
    return torch.stack([affine(x, w, b) for x in X])


def leaves_of(output):
    leaves = set()

    def visit(node):
        for inner, _ in node.next_functions:
            if inner is None:
                continue
            if type(inner).__name__ == "AccumulateGrad":
                leaves.add(inner.variable)
            else:
                visit(inner)

    visit(output.grad_fn)
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
