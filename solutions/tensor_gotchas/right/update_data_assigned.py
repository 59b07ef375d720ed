import torch
import numpy as np


def to_float32(array):
    out = torch.empty(array.shape)
    out.copy_(torch.from_numpy(array))
    return out


def predict(X, W):
    return torch.matmul(X.type(torch.float32), W)


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
    history = []
    loss = w**2
    while len(history) < steps:
        loss.backward(retain_graph=True)
        history.append(w.grad.item())
    return history


def fresh(w, steps):
    seen = []
    for _ in range(steps):
        if w.grad is not None:
            w.grad.zero_()
        loss = w * w
        loss.backward()
        seen.append(float(w.grad))
    return seen


def update(w, lr):
    loss = torch.linalg.norm(w) ** 2
    loss.backward()
    w.data = w.data - lr * w.grad.data
    w.grad.data.zero_()


def record_losses(w, lr, steps):
    recorded = [0.0] * steps
    for i in range(steps):
        loss = (w**2).sum()
        recorded[i] = loss.tolist()
        loss.backward()
        w.data -= lr * w.grad
        w.grad = None
    return recorded


def gradient_of_middle(x):
    middle = (x**2).detach().requires_grad_()
    loss = (middle**2).sum()
    loss.backward()
    return middle.grad


def affine(X, w, b):
    return X @ w + b


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
    names = {}
    level = {output.grad_fn}
    while level:
        for node in level:
            if not hasattr(node, "variable"):
                names[node.name().removesuffix("0")] = True
        level = {inner for node in level for inner, _ in node.next_functions if inner is not None}
    return list(names)
