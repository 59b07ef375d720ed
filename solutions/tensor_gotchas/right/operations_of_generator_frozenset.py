import numpy as np
import torch


def to_float32(array):
    return torch.asarray(array, copy=True).to(dtype=torch.float32)


def predict(X, W):
    return torch.nn.functional.linear(X.float(), W.t())


def z_and_gradients(x, y):
    product = x * y
    square = torch.pow(x, 2)
    z = product + square
    torch.autograd.backward(z)
    return (float(z.detach()), float(x.grad), float(y.grad))


def passes(w, steps):
    for _ in range(steps):
        torch.autograd.backward(w**2)
        yield w.grad.detach().numpy().item()


def accumulated(w, steps):
    return list(passes(w, steps))


def fresh(w, steps):
    return [torch.autograd.grad(w**2, w)[0].item() for _ in range(steps)]


def update(w, lr):
    w.grad = None
    loss = sum(element**2 for element in w.flatten())
    loss.backward()
    step = -lr * w.grad
    with torch.no_grad():
        w += step
    w.grad.fill_(0)


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
