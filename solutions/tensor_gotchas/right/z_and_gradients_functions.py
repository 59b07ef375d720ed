import numpy as np
import torch


def to_float32(array):
    zero = torch.zeros(array.shape)
    return zero + torch.from_numpy(array).float()


def predict(X, W):
    return X.float() @ W


def z_and_gradients(x, y):
    z = torch.add(torch.mul(x, y), torch.square(x))
    z.backward(torch.tensor(1.0))
    return tuple(t.item() for t in (z, x.grad, y.grad))


def accumulated(w, steps):
    out = [0.0] * steps
    for i in range(steps):
        loss = torch.pow(w, 2)
        loss.backward()
        out[i] = w.grad.tolist()
    return out


def fresh(w, steps):
    grads = []
    for _ in range(steps):
        before = 0.0 if w.grad is None else w.grad.item()
        (w**2).backward()
        grads.append(w.grad.item() - before)
    return grads


def update(w, lr):
    flat = w.reshape(-1)
    loss = flat @ flat
    loss.backward()
    with torch.no_grad():
        w.copy_(w - lr * w.grad)
        w.grad = torch.zeros_like(w.grad)


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
    middle = torch.square(x)
    loss = torch.square(middle).sum()
    of_x, of_middle = torch.autograd.grad(loss, (x, middle))
    return of_middle


def affine(X, w, b):
    return X @ w + b


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
