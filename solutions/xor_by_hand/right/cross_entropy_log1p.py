import torch
from torch import Tensor


def relu(x: Tensor) -> Tensor:
    zero = torch.zeros(1, dtype=x.dtype).squeeze()
    return torch.maximum(x, zero)


def logistic(x: Tensor) -> Tensor:
    return torch.exp(x).div(torch.exp(x).add(1))


def cross_entropy(y_pred: Tensor, y: Tensor) -> Tensor:
    # log1p(-p) is more exact than log(1 - p) for small p
    return torch.neg(y.mul(y_pred.log()).add((1 - y).mul(torch.log1p(-y_pred)))).mean()


def forward(X: Tensor, W1: Tensor, b1: Tensor, W2: Tensor, b2: Tensor) -> Tensor:
    return logistic(relu(X.matmul(W1).add(b1)).matmul(W2).add(b2))


def sgd(params, lr: float = 0.1):
    with torch.no_grad():
        for p in params:
            p.add_(p.grad.mul(-lr))
            p.grad.zero_()


def init_params(hidden: int = 20):
    std = 0.8
    W1 = torch.randn(2, hidden).mul(std).requires_grad_()
    b1 = torch.randn(hidden).mul(std).requires_grad_()
    W2 = torch.randn(hidden, 1).mul(std).requires_grad_()
    b2 = torch.randn(1).mul(std).requires_grad_()
    return [W1, b1, W2, b2]


def train(params, X: Tensor, Y: Tensor, epochs: int = 100, lr: float = 0.1):
    losses = []
    for _ in range(epochs):
        for x, y in zip(X.unbind(), Y.unbind()):
            loss = cross_entropy(forward(x, *params), y)
            losses.append(loss.detach().item())
            loss.backward()
            sgd(params, lr)
    return losses
