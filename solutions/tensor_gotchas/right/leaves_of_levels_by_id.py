# My answers.
import numpy as np
import torch


def to_float32(array):
    # clone, because .to() gives back the same memory when there is nothing to do
    return torch.from_numpy(array).to(torch.float32).clone()


def predict(X, W):
    rows = [row @ W for row in X.to(dtype=torch.float32)]
    return torch.stack(rows)


def z_and_gradients(x, y):
    z = (torch.stack([y, x]) * x).sum()
    z.backward()
    dx, dy = x.grad, y.grad
    return z.item(), dx.item(), dy.item()


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
    loss = torch.sum(torch.square(w))
    loss.backward()
    with torch.no_grad():
        w.sub_(lr * w.grad)
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
    middle = (x**2).detach().requires_grad_()
    loss = (middle**2).sum()
    loss.backward()
    return middle.grad


def affine(X, w, b):
    if X.ndim == 1:
        return torch.dot(X, w[:, 0]).unsqueeze(0) + b
    return torch.stack([affine(x, w, b) for x in X])


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


def collect(node, names):
    if node is None or hasattr(node, "variable"):
        return names
    name = node.name()
    while name[-1].isdigit():
        name = name[:-1]
    names = names | {name}
    for following, _ in node.next_functions:
        names = collect(following, names)
    return names


def operations_of(output):
    return tuple(collect(output.grad_fn, frozenset()))
