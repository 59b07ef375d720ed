# My answers.
import numpy as np
import torch


def to_float32(array):
    out = torch.empty(array.shape)
    out.copy_(torch.from_numpy(array))
    return out


def predict(X, W):
    """W is what requires grad, so X has to give way."""
    assert W.dtype is torch.float32
    return torch.from_numpy(X.numpy().astype(np.float32)) @ W


def z_and_gradients(x, y):
    z = x * y + x**2
    z.backward()
    return z.item(), x.grad.item(), y.grad.item()


def accumulated(w, steps):
    grads = []
    for step in range(steps):
        torch.square(w).backward()
        grads.append(w.grad.clone())
    return [g.item() for g in grads]


def fresh(w, steps):
    grads = []
    for _ in range(steps):
        before = 0.0 if w.grad is None else w.grad.item()
        (w**2).backward()
        grads.append(w.grad.item() - before)
    return grads


def update(w, lr):
    loss = (w**2).sum()
    loss.backward()
    with torch.set_grad_enabled(False):
        w[...] = w - lr * w.grad
    w.grad = None


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
    middle = x.pow(2)
    middle.retain_grad()
    torch.autograd.backward((middle * middle).sum())
    result = middle.grad.detach()
    x.grad = None
    return result


def affine(X, w, b):
    return torch.matmul(X, w).add(b)


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


if __name__ == "__main__":
    a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    d = a + (a * 2).mean()
    print(leaves_of(d), operations_of(d))
