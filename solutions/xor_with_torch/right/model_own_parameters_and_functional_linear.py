import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.W1 = nn.Parameter(torch.randn(hidden, 2) * 0.5)
        self.b1 = nn.Parameter(torch.zeros(hidden))
        self.W2 = nn.Parameter(torch.randn(1, hidden) * 0.5)
        self.b2 = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return F.linear(F.relu(F.linear(x, self.W1, self.b1)), self.W2, self.b2)


def make_model(hidden=20):
    return Net(hidden)


def to_library(W1, b1, W2, b2):
    net = Net(len(b1))
    net.W1 = nn.Parameter(W1.detach().T.clone())
    net.b1 = nn.Parameter(b1.detach().clone())
    net.W2 = nn.Parameter(W2.detach().T.clone())
    net.b2 = nn.Parameter(b2.detach().clone())
    return net


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
