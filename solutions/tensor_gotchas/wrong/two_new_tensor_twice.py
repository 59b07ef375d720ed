# expect: update: update-not-in-place, record_losses: update-not-in-place
import numpy as np
import torch


def to_float32(array):
    return torch.tensor(array.tolist(), dtype=torch.float32)


def predict(X, W):
    data = torch.as_tensor(X, dtype=torch.float32)
    products = data[:, :, None] * W[None, :, :]
    return products.sum(dim=1)


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


def update(w, lr):
    loss = (w**2).sum()
    loss.backward()
    with torch.no_grad():
        moved = w - lr * w.grad
    w.grad.zero_()
    return moved.requires_grad_()


def record_losses(w, lr, steps):
    losses = []
    for _ in range(steps):
        loss = (w**2).sum()
        loss.backward()
        losses.append(loss.item())
        w = (w - lr * w.grad).detach().requires_grad_()
    return losses


def gradient_of_middle(x):
    middle = x**2
    middle.retain_grad()
    loss = (middle**2).sum()
    loss.backward()
    return middle.grad


def affine(X, w, b):
    return (X.unsqueeze(-1) * w).sum(dim=-2) + b


def leaves_of(output):
    level = [output.grad_fn]
    by_id = {}
    while level:
        following = []
        for node in level:
            leaf = getattr(node, "variable", None)
            if leaf is not None:
                by_id[id(leaf)] = leaf
            following += [inner for inner, _ in node.next_functions if inner is not None]
        level = list(dict.fromkeys(following))
    return list(by_id.values())


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
