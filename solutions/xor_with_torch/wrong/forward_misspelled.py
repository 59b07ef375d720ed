# expect: make_model: forward-missing
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.fc1 = nn.Linear(2, hidden)
        self.fc2 = nn.Linear(hidden, 1)

    def foward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


def make_model(hidden=20):
    return Net(hidden)


def to_library(W1, b1, W2, b2):
    model = nn.Sequential(nn.Linear(2, W1.shape[-1]), nn.ReLU(), nn.Linear(W1.shape[-1], 1))
    model.load_state_dict({
        "0.weight": W1.T,
        "0.bias": b1,
        "2.weight": W2.T,
        "2.bias": b2,
    })
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
