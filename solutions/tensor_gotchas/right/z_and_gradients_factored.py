# My answers.
import numpy as np
import torch


def to_float32(array):
    return torch.tensor(array.tolist(), dtype=torch.float32)


def predict(X, W):
    return X.to(W.dtype).mm(W)


def z_and_gradients(x, y):
    z = x * (y + x)
    z.backward()
    return [z.item(), x.grad.item(), y.grad.item()]


def accumulated(w, steps):
    def one_pass():
        (w * w).backward()
        return float(w.grad)

    return [one_pass() for _ in range(steps)]


def fresh(w, steps):
    seen = []
    for _ in range(steps):
        w.grad = None
        (w**2).backward()
        seen.append(w.grad.item())
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
    middle = x.pow(2)
    middle.retain_grad()
    torch.autograd.backward((middle * middle).sum())
    result = middle.grad.detach()
    x.grad = None
    return result


def affine(X, w, b):
    if X.dim() == 1:
        return (X * w.flatten()).sum().reshape(1) + b
    return torch.addmm(b, X, w)


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
    names = {}
    level = {output.grad_fn}
    while level:
        for node in level:
            if not hasattr(node, "variable"):
                names[node.name().removesuffix("0")] = True
        level = {inner for node in level for inner, _ in node.next_functions if inner is not None}
    return list(names)


if __name__ == "__main__":
    a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    d = a + (a * 2).mean()
    print(leaves_of(d), operations_of(d))
