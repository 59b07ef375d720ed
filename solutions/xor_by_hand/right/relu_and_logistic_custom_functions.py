import torch
from torch.autograd import Function


class Rectify(Function):
    """New style: forward without ctx, setup_context saves."""

    @staticmethod
    def forward(x):
        return torch.where(x > 0, x, torch.zeros_like(x))

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x > 0).to(grad.dtype)


class Logistic(Function):
    @staticmethod
    def forward(ctx, x):
        s = 1 / (1 + torch.exp(-x))
        ctx.save_for_backward(s)
        return s

    @staticmethod
    def backward(ctx, grad):
        (s,) = ctx.saved_tensors
        return grad * s * (1 - s)


relu = Rectify.apply
logistic = Logistic.apply


def cross_entropy(y_pred, y):
    return -(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred)).mean()


def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)


def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p.sub_(p.grad, alpha=lr)
            p.grad.zero_()


def init_params(hidden=20):
    params = [torch.randn(2, hidden), torch.zeros(hidden), torch.randn(hidden, 1), torch.zeros(1)]
    return [p.requires_grad_() for p in params]


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for i in range(len(X)):
            loss = cross_entropy(forward(X[i : i + 1], *params), Y[i : i + 1])
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
