# expect: make_model: parameters-not-registered
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.W1 = torch.randn(2, hidden, requires_grad=True)
        self.b1 = torch.zeros(hidden, requires_grad=True)
        self.W2 = torch.randn(hidden, 1, requires_grad=True)
        self.b2 = torch.zeros(1, requires_grad=True)

    def forward(self, X):
        return F.relu(X @ self.W1 + self.b1) @ self.W2 + self.b2


def make_model(hidden=20):
    return Net(hidden)


def to_library(W1, b1, W2, b2):
    model = nn.Sequential(nn.Linear(2, W1.size(1)), nn.ReLU(), nn.Linear(W1.size(1), 1))
    with torch.no_grad():
        # Both matrices are stored the other way round.
        for p, value in zip(model.parameters(), (W1.t(), b1, W2.t(), b2)):
            p.copy_(value)
    return model


def loss_function():
    def loss(logits, y):
        return F.binary_cross_entropy_with_logits(logits, y)

    return loss


def train(model, X, y, epochs=100, lr=0.1):
    criterion = loss_function()
    opt = torch.optim.SGD(model.parameters(), lr)
    history = []
    for _ in range(epochs):
        running = 0.0
        for i in range(X.shape[0]):
            out = model(X[i : i + 1])
            loss = criterion(out, y[i : i + 1])
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item()
        history.append(running)
    return history


def accuracy(model, X, y):
    with torch.no_grad():
        p = torch.sigmoid(model(X))
    return ((p > 0.5).float() == y).float().mean().item()
