"""Hand-in for the gotchas."""

import numpy as np
import torch


def to_float32(array):
    converted = np.array(array, dtype=np.float32)
    return torch.from_numpy(converted)


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


def passes(w, steps):
    for _ in range(steps):
        torch.autograd.backward(w**2)
        yield w.grad.detach().numpy().item()


def accumulated(w, steps):
    return list(passes(w, steps))


def fresh(w, steps):
    return [torch.autograd.grad(w**2, w)[0].item() for _ in range(steps)]


def update(w, lr):
    loss = (w**2).sum()
    loss.backward()
    with torch.set_grad_enabled(False):
        w[...] = w - lr * w.grad
    w.grad = None


def record_losses(w, lr, steps):
    def step():
        loss = (w * w).sum()
        if w.grad is not None:
            w.grad.zero_()
        loss.backward()
        with torch.no_grad():
            w.add_(w.grad, alpha=-lr)
        return loss.item()

    return [step() for _ in range(steps)]


def gradient_of_middle(x):
    middle = x**2
    loss = (middle**2).sum()
    return torch.autograd.grad(loss, middle)[0]


def affine(X, w, b):
    return torch.tensordot(X, w, dims=1) + b


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
