# expect: logistic: built-in-used
from typing import List

import torch
from torch.special import expit as squash


def relu(z):
    r = z.clone()
    r[z <= 0] = 0
    return r


def logistic(z):
    return squash(z)


def cross_entropy(y_hat, y):
    ones = torch.ones_like(y)
    per_sample = torch.mul(y, torch.log(y_hat)) + torch.mul(ones - y, torch.log(ones - y_hat))
    return per_sample.mean().neg()


def forward(X, W1, b1, W2, b2):
    a0 = X
    a1 = relu(a0.matmul(W1).add(b1))
    a2 = logistic(a1.matmul(W2).add(b2))
    return a2


def sgd(params, lr=0.1):
    torch._foreach_add_([p.data for p in params], [p.grad for p in params], alpha=-lr)
    for p in params:
        p.grad = torch.zeros_like(p.grad)


def init_params(hidden=20):
    sizes = [2, hidden, 1]
    result: List[torch.Tensor] = []
    for n_in, n_out in zip(sizes[:-1], sizes[1:]):
        result.append(torch.normal(0.0, 1.0, (n_in, n_out)).requires_grad_())
        result.append(torch.zeros(n_out).requires_grad_())
    return result


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for epoch in range(epochs):
        epoch_loss = 0.0
        for i in range(Y.size(0)):
            y_hat = forward(X[i], *params)
            loss = cross_entropy(y_hat, Y[i])
            loss.backward()
            epoch_loss += loss.item()
            losses.append(loss.item())
            sgd(params, lr)
        # if epoch % 10 == 0:
        #     print(epoch, epoch_loss)
    return losses
