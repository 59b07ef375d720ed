"""Sheet 7, with my own tests at the bottom: python -m unittest own_tests_below"""

import math
import unittest

import torch


def relu(x):
    """
    >>> relu(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return torch.where(x > 0, x, torch.zeros_like(x))


def logistic(x):
    """
    >>> logistic(torch.tensor(0.0))
    tensor(0.5000)
    """
    return 1 / (1 + torch.exp(-x))


def cross_entropy(y_pred, y):
    """
    >>> cross_entropy(torch.tensor([0.5]), torch.tensor([1.0]))
    tensor(0.6931)
    """
    return -(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred)).mean()


def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)


def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad
    for p in params:
        p.grad.zero_()


def init_params(hidden=20):
    W1 = torch.randn(2, hidden, requires_grad=True)
    b1 = torch.zeros(hidden, requires_grad=True)
    W2 = torch.randn(hidden, 1, requires_grad=True)
    b2 = torch.zeros(1, requires_grad=True)
    return [W1, b1, W2, b2]


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for x, y in zip(X, Y):
            loss = cross_entropy(forward(x, *params), y)
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses


class TestPieces(unittest.TestCase):
    def test_relu(self):
        self.assertEqual(relu(torch.tensor([-3.0, 3.0])).tolist(), [0.0, 3.0])

    def test_logistic(self):
        self.assertAlmostEqual(logistic(torch.tensor(1.0)).item(), 1 / (1 + math.exp(-1)), places=6)

    def test_sgd(self):
        p = torch.ones(3, requires_grad=True)
        (2 * p).sum().backward()
        sgd([p], lr=0.5)
        self.assertEqual(p.tolist(), [0.0, 0.0, 0.0])
        self.assertEqual(p.grad.tolist(), [0.0, 0.0, 0.0])


def test_same_as_torch():
    x = torch.randn(4, 3)
    assert torch.allclose(relu(x), torch.relu(x))
    assert torch.allclose(logistic(x), torch.sigmoid(x))
