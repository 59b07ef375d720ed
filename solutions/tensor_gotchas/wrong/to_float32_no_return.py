# expect: to_float32: wrong-return-type
# My answers.
import numpy as np
import torch


def to_float32(array):
    result = torch.tensor(array, dtype=torch.float32)


def predict(X, W):
    return torch.nn.functional.linear(X.float(), W.t())


def z_and_gradients(x, y):
    z = torch.add(torch.mul(x, y), torch.square(x))
    z.backward(torch.tensor(1.0))
    return tuple(t.item() for t in (z, x.grad, y.grad))


def accumulated(w, steps):
    numbers = torch.zeros(steps)
    for i in range(steps):
        (w**2).backward()
        with torch.no_grad():
            numbers[i] = w.grad
    return numbers.tolist()


def fresh(w, steps):
    result = []
    for i in range(steps):
        (w**2).backward()
        g = w.grad
        w.grad = None
        result += [g.item()]
    return result


def update(w, lr):
    w.grad = None
    loss = sum(element**2 for element in w.flatten())
    loss.backward()
    step = -lr * w.grad
    with torch.no_grad():
        w += step
    w.grad.fill_(0)


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
    caught = []
    middle = x * x
    middle.register_hook(caught.append)
    (middle * middle).sum().backward()
    return caught[0]


def affine(X, w, b):
    if X.ndim == 1:
        return torch.dot(X, w[:, 0]).unsqueeze(0) + b
    return torch.stack([affine(x, w, b) for x in X])


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
