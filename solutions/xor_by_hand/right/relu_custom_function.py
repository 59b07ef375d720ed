"""relu with its own backward, to see how autograd does it."""
import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[x < 0] = 0
        return grad_input


def relu(x):
    return MyReLU.apply(x)


def logistic(x):
    return 1 / (1 + torch.exp(-x))


def cross_entropy(y_pred, y):
    return -torch.mean(y * torch.log(y_pred) + (1.0 - y) * torch.log(1.0 - y_pred))


def forward(X, W1, b1, W2, b2):
    return logistic(relu(X.matmul(W1) + b1).matmul(W2) + b2)


def sgd(params, lr=0.1):
    for p in params:
        p.data.sub_(lr * p.grad.data)
        p.grad.data.zero_()


def init_params(hidden=20):
    dtype = torch.float
    device = torch.device("cpu")
    W1 = torch.randn(2, hidden, device=device, dtype=dtype, requires_grad=True)
    b1 = torch.randn(hidden, device=device, dtype=dtype, requires_grad=True)
    W2 = torch.randn(hidden, 1, device=device, dtype=dtype, requires_grad=True)
    b2 = torch.randn(1, device=device, dtype=dtype, requires_grad=True)
    return [W1, b1, W2, b2]


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for t in range(epochs):
        for n in range(len(X)):
            y_pred = forward(X[n], *params)
            loss = cross_entropy(y_pred, Y[n])
            losses.append(loss.item())
            loss.backward()
            sgd(params, lr)
    return losses
