# expect: forward: bias-missing, init_params: parameter-not-a-leaf
import torch


class _Relu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * (x > 0)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x > 0)


def relu(x):
    return _Relu.apply(x)


def logistic(x):
    return (1 + (-x).exp()) ** -1


def cross_entropy(y_pred, y):
    a = torch.log(y_pred)
    b = torch.log1p(-y_pred)
    return (-(y * a) - (1 - y) * b).mean()


def forward(X, W1, b1, W2, b2):
    hidden = relu(X @ W1 + b1)
    return logistic(hidden @ W2)


def _one(p, lr):
    p.data -= lr * p.grad
    p.grad = None


def sgd(params, lr=0.1):
    for p in params:
        if p.grad is not None:
            _one(p, lr)


def init_params(hidden=20):
    scale = hidden ** -0.5
    W1 = scale * torch.randn(2, hidden, requires_grad=True)
    W2 = scale * torch.randn(hidden, 1, requires_grad=True)
    b1 = torch.zeros(hidden, requires_grad=True)
    b2 = torch.zeros(1, requires_grad=True)
    return [W1, b1, W2, b2]


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for k in range(epochs * X.shape[0]):
        i = k % X.shape[0]
        for p in params:
            p.grad = None
        loss = cross_entropy(forward(X[i:i + 1, :], *params), Y[i:i + 1, :])
        loss.backward()
        losses.append(loss.item())
        sgd(params, lr)
    return losses
