# expect: to_float32: integer-tensors
import numpy as np
import torch


def to_float32(array):
    whole = torch.tensor(array).int()
    return whole.float()


def predict(X, W):
    X32 = X.float()
    return torch.einsum("nk,km->nm", X32, W)


def z_and_gradients(x, y):
    z = x * y + x**2
    z.backward()
    return z.item(), x.grad.item(), y.grad.item()


def passes(w, steps):
    for _ in range(steps):
        torch.autograd.backward(w**2)
        yield w.grad.detach().numpy().item()


def accumulated(w, steps):
    return list(passes(w, steps))


def fresh(w, steps):
    result = []
    for _ in range(steps):
        torch.square(w).backward()
        result.append(w.grad.item())
        w.grad *= 0
    return result


def update(w, lr):
    flat = w.reshape(-1)
    loss = flat @ flat
    loss.backward()
    with torch.no_grad():
        w.copy_(w - lr * w.grad)
        w.grad = torch.zeros_like(w.grad)


def record_losses(w, lr, steps):
    losses = []
    for _ in range(steps):
        loss = (w**2).sum()
        loss.backward()
        losses.append(loss.item())
        with torch.no_grad():
            w -= lr * w.grad
        w.grad.zero_()
    return losses


def gradient_of_middle(x):
    middle = torch.square(x)
    loss = torch.square(middle).sum()
    of_x, of_middle = torch.autograd.grad(loss, (x, middle))
    return of_middle


def affine(X, w, b):
    return (X.unsqueeze(-1) * w).sum(dim=-2) + b


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
    names = set()
    seen = set()
    waiting = [output.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if not hasattr(node, "variable"):
            names.add(node.name()[:-1])
        waiting.extend(inner for inner, _ in node.next_functions)
    return names
