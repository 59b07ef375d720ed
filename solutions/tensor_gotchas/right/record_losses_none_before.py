"""Hand-in for the gotchas."""

import numpy as np
import torch


def to_float32(array):
    return torch.as_tensor(array).detach().clone().type(torch.float32)


def predict(X, W):
    """W is what requires grad, so X has to give way."""
    assert W.dtype is torch.float32
    return torch.from_numpy(X.numpy().astype(np.float32)) @ W


def z_and_gradients(x, y):
    product = x * y
    square = torch.pow(x, 2)
    z = product + square
    torch.autograd.backward(z)
    return (float(z.detach()), float(x.grad), float(y.grad))


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
        v = w.detach().clone().requires_grad_()
        (v**2).backward()
        seen.append(v.grad.item())
    return seen


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
    with torch.no_grad():
        start = x**2
    middle = start.clone().requires_grad_(True)
    torch.sum(middle**2).backward()
    return middle.grad.clone()


def affine(X, w, b):
    rows = X.reshape(-1, w.shape[0])
    out = torch.mm(rows, w) + b
    return out.reshape(*X.shape[:-1], 1)


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


x = torch.tensor(3.0, requires_grad=True)
y = torch.tensor(4.0, requires_grad=True)
print(z_and_gradients(x, y))
w = torch.tensor([1.0, 2.0], requires_grad=True)
update(w, 0.1)
print(w)
