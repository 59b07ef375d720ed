import torch
import numpy as np


def to_float32(array):
    # clone, because .to() gives back the same memory when there is nothing to do
    return torch.from_numpy(array).to(torch.float32).clone()


def predict(X, W):
    return torch.nn.functional.linear(X.float(), W.t())


def z_of(x, y):
    return x * y + x * x


def z_and_gradients(x, y):
    z = z_of(x, y)
    z.backward()
    return z.tolist(), x.grad.tolist(), y.grad.tolist()


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
    loss = torch.sum(torch.square(w))
    loss.backward()
    with torch.no_grad():
        w.sub_(lr * w.grad)
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
    return torch.nn.functional.linear(X, w.T, b)


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
