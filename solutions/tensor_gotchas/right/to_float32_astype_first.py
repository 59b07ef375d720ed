import numpy as np
import torch


def to_float32(array):
    return torch.from_numpy(array.astype(np.float32))


def predict(X, W):
    data = torch.as_tensor(X, dtype=torch.float32)
    products = data[:, :, None] * W[None, :, :]
    return products.sum(dim=1)


def z_and_gradients(x, y):
    product = x * y
    square = torch.pow(x, 2)
    z = product + square
    torch.autograd.backward(z)
    return (float(z.detach()), float(x.grad), float(y.grad))


def accumulated(w, steps):
    out = [0.0] * steps
    for i in range(steps):
        loss = torch.pow(w, 2)
        loss.backward()
        out[i] = w.grad.tolist()
    return out


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
    loss = (w**2).sum()
    loss.backward()
    with torch.no_grad():
        w -= lr * w.grad
    w.grad.zero_()


def record_losses(w, lr, steps):
    losses = []
    for _ in range(steps):
        losses.append((w.detach() ** 2).sum().item())
        update(w, lr)
    return losses


def gradient_of_middle(x):
    caught = []
    middle = x * x
    middle.register_hook(caught.append)
    (middle * middle).sum().backward()
    return caught[0]


def affine(X, w, b):
    rows = X.reshape(-1, w.shape[0])
    out = torch.mm(rows, w) + b
    return out.reshape(*X.shape[:-1], 1)


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
    return frozenset(
        name[:-1] if name[-1].isdigit() else name
        for name in all_names(output.grad_fn)
        if not name.endswith("AccumulateGrad")
    )


def all_names(node):
    if node is None:
        return
    yield node.name()
    for following, _ in node.next_functions:
        yield from all_names(following)
