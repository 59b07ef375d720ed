# My answers.
import numpy as np
import torch


def to_float32(array):
    return torch.from_numpy(array.astype(np.float32))


def predict(X, W):
    X = X.to(W)
    result = torch.mm(X, W)
    return result


def z_and_gradients(x, y):
    z = torch.add(torch.mul(x, y), torch.square(x))
    z.backward(torch.tensor(1.0))
    return tuple(t.item() for t in (z, x.grad, y.grad))


def passes(w, steps):
    for _ in range(steps):
        torch.autograd.backward(w**2)
        yield w.grad.detach().numpy().item()


def accumulated(w, steps):
    return list(passes(w, steps))


def fresh(w, steps):
    seen = []
    for _ in range(steps):
        loss = w**2
        loss.backward()
        seen.append(w.grad.item())
        w.grad.zero_()
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


def record_losses(w, lr, steps):
    recorded = []
    while len(recorded) < steps:
        loss = torch.sum(w**2)
        gradient = torch.autograd.grad(loss, [w])[0]
        recorded.append(loss.item())
        with torch.no_grad():
            w.copy_(w - lr * gradient)
    return recorded


def gradient_of_middle(x):
    middle = torch.square(x)
    loss = torch.square(middle).sum()
    of_x, of_middle = torch.autograd.grad(loss, (x, middle))
    return of_middle


def affine(X, w, b):
    if X.ndim == 1:
        return torch.dot(X, w[:, 0]).unsqueeze(0) + b
    return torch.stack([affine(x, w, b) for x in X])


def leaves_of(output):
    level = [output.grad_fn]
    by_id = {}
    while level:
        following = []
        for node in level:
            leaf = getattr(node, "variable", None)
            if leaf is not None:
                by_id[id(leaf)] = leaf
            following += [inner for inner, _ in node.next_functions if inner is not None]
        level = list(dict.fromkeys(following))
    return list(by_id.values())


def operations_of(output):
    names = []

    def visit(node):
        if node is None:
            return
        name = type(node).__name__
        if name == "AccumulateGrad":
            return
        short = name.rstrip("0123456789")
        if short not in names:
            names.append(short)
        for inner, _ in node.next_functions:
            visit(inner)

    visit(output.grad_fn)
    return names


if __name__ == "__main__":
    a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    d = a + (a * 2).mean()
    print(leaves_of(d), operations_of(d))
