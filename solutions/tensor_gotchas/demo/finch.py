# Invented for the demonstration: everything is right, in a style of its own.
import torch


def to_float32(array):
    return torch.tensor(array.tolist(), dtype=torch.float32)


def predict(X, W):
    return torch.mm(X.float(), W)


def z_and_gradients(x, y):
    z = x * (x + y)
    z.backward()
    return [z.item(), x.grad.item(), y.grad.item()]


def accumulated(w, steps):
    history = []
    while len(history) < steps:
        (w * w).backward()
        history.append(float(w.grad))
    return history


def fresh(w, steps):
    history = []
    while len(history) < steps:
        w.grad = None
        (w * w).backward()
        history.append(float(w.grad))
    return history


def update(w, lr):
    w.pow(2).sum().backward()
    with torch.no_grad():
        w.sub_(lr * w.grad)
    w.grad = None


def record_losses(w, lr, steps):
    losses = []
    for _ in range(steps):
        losses.append(w.pow(2).sum().item())
        update(w, lr)
    return losses


def gradient_of_middle(x):
    middle = x**2
    (slope,) = torch.autograd.grad(middle.pow(2).sum(), middle)
    return slope


def affine(X, w, b):
    return torch.matmul(X, w) + b


def walk(node, seen):
    if node is not None and node not in seen:
        seen.add(node)
        for before, _ in node.next_functions:
            walk(before, seen)
    return seen


def leaves_of(output):
    return [n.variable for n in walk(output.grad_fn, set()) if n.name().endswith("AccumulateGrad")]


def operations_of(output):
    names = {n.name().rstrip("0123456789") for n in walk(output.grad_fn, set())}
    return {name for name in names if not name.endswith("AccumulateGrad")}
