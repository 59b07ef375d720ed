import torch
import numpy as np


def to_float32(array):
    if array.dtype != np.float32:
        array = array.astype("float32")
    return torch.tensor(array)


def predict(X, W):
    return torch.matmul(X.type(torch.float32), W)


def z_and_gradients(x, y):
    product = x * y
    square = torch.pow(x, 2)
    z = product + square
    torch.autograd.backward(z)
    return (float(z.detach()), float(x.grad), float(y.grad))


def accumulated(w, steps):
    numbers = torch.zeros(steps)
    for i in range(steps):
        (w**2).backward()
        with torch.no_grad():
            numbers[i] = w.grad
    return numbers.tolist()


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


def record_losses(w, lr, steps):
    losses = []
    for _ in range(steps):
        losses.append((w.detach() ** 2).sum().item())
        update(w, lr)
    return losses


def gradient_of_middle(x):
    middle = x**2
    middle.retain_grad()
    loss = (middle**2).sum()
    loss.backward()
    return middle.grad


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
