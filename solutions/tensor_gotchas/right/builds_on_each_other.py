import numpy
import torch as th


def to_float32(array):
    return th.tensor(numpy.asarray(array), dtype=th.float32)


def predict(X, W):
    return affine(X.float(), W, th.zeros(W.shape[1]))


def differentiate(loss, *leaves):
    loss.backward()
    return [leaf.grad.item() for leaf in leaves]


def z_and_gradients(x, y):
    z = x * y + x**2
    return [z.item(), *differentiate(z, x, y)]


def accumulated(w, steps):
    return [differentiate(w**2, w)[0] for _ in range(steps)]


def fresh(w, steps):
    total = accumulated(w, steps)
    return [total[0]] + [b - a for a, b in zip(total, total[1:])]


def update(w, lr):
    record_losses(w, lr, 1)


def record_losses(w, lr, steps):
    losses = []
    while steps > 0:
        loss = (w * w).sum()
        losses.append(loss.item())
        loss.backward()
        with th.no_grad():
            w -= lr * w.grad
        w.grad = None
        steps -= 1
    return losses


def gradient_of_middle(x):
    middle = x * x
    loss = (middle * middle).sum()
    return th.autograd.grad(loss, [middle])[0]


def affine(X, w, b):
    return th.matmul(X, w) + b


def nodes_of(output):
    known = {}

    def add(node):
        if node is not None and node not in known:
            known[node] = type(node).__name__
            for edge in node.next_functions:
                add(edge[0])

    add(output.grad_fn)
    return known


def leaves_of(output):
    return [node.variable for node, name in nodes_of(output).items() if name == "AccumulateGrad"]


def operations_of(output):
    return {name.rstrip("0") for name in nodes_of(output).values() if name != "AccumulateGrad"}
