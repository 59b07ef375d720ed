import numpy as np
import torch


def to_float32(array):
    return torch.from_numpy(array.astype(np.float32))


def predict(X, W):
    X = X.to(W)
    result = torch.mm(X, W)
    return result


def z_and_gradients(x, y):
    z = x * (y + x)
    z.backward()
    return [z.item(), x.grad.item(), y.grad.item()]


def accumulated(w, steps):
    history = []
    loss = w**2
    while len(history) < steps:
        loss.backward(retain_graph=True)
        history.append(w.grad.item())
    return history


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
    loss = (w**2).sum()
    loss.backward()
    with torch.set_grad_enabled(False):
        w[...] = w - lr * w.grad
    w.grad = None


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
    with torch.no_grad():
        start = x**2
    middle = start.clone().requires_grad_(True)
    torch.sum(middle**2).backward()
    return middle.grad.clone()


def affine(X, w, b):
    rows = X.reshape(-1, w.shape[0])
    out = torch.mm(rows, w) + b
    return out.reshape(*X.shape[:-1], 1)


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


if __name__ == "__main__":
    a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    d = a + (a * 2).mean()
    print(leaves_of(d), operations_of(d))
