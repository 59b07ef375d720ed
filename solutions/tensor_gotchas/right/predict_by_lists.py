import numpy as np
import torch


def to_float32(array):
    """Copy and convert in one go."""
    return torch.tensor(array, dtype=torch.float32)


def predict(X, W):
    return torch.tensor(X.tolist()) @ W


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
    result = []
    for i in range(steps):
        (w**2).backward()
        g = w.grad
        w.grad = None
        result += [g.item()]
    return result


def update(w, lr):
    loss = torch.linalg.norm(w) ** 2
    loss.backward()
    w.data = w.data - lr * w.grad.data
    w.grad.data.zero_()


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
    caught = []
    middle = x * x
    middle.register_hook(caught.append)
    (middle * middle).sum().backward()
    return caught[0]


def affine(X, w, b):
    return (X.unsqueeze(-1) * w).sum(dim=-2) + b


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


x = torch.tensor(3.0, requires_grad=True)
y = torch.tensor(4.0, requires_grad=True)
print(z_and_gradients(x, y))
w = torch.tensor([1.0, 2.0], requires_grad=True)
update(w, 0.1)
print(w)
