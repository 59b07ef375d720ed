import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.output = nn.Linear(hidden, 1)
        self.hidden = nn.Linear(2, hidden)

    def forward(self, X):
        return self.output(torch.relu(self.hidden(X)))


def make_model(hidden=20):
    return Net(hidden)


def to_library(W1, b1, W2, b2):
    net = make_model(hidden=W1.shape[1])
    net.load_state_dict({
        "hidden.weight": W1.T, "hidden.bias": b1, "output.weight": W2.T, "output.bias": b2,
    })
    return net


def loss_function():
    return nn.BCEWithLogitsLoss()


def train(model, X, y, epochs=100, lr=0.1):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    loss_fn = loss_function()
    totals = []
    for _ in range(epochs):
        losses = []
        for xb, yb in zip(X.split(1), y.split(1)):
            optimizer.zero_grad()
            loss = loss_fn(model(xb), yb)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        totals.append(sum(losses))
    return totals


def accuracy(model, X, y):
    with torch.inference_mode():
        right = (model(X) > 0) == (y > 0.5)
    return right.sum().item() / len(y)
