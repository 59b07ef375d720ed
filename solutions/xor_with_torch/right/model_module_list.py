import torch
from torch import nn


class Stack(nn.Module):
    """Linear layers with relu between them."""

    def __init__(self, *sizes):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))

    def forward(self, x):
        *inner, last = self.layers
        for layer in inner:
            x = layer(x).relu()
        return last(x)


def make_model(hidden=20):
    return Stack(2, hidden, 1)


def to_library(W1, b1, W2, b2):
    stack = make_model(W1.shape[1])
    with torch.no_grad():
        for layer, W, b in zip(stack.layers, (W1, W2), (b1, b2)):
            layer.weight.copy_(W.T)
            layer.bias.copy_(b)
    return stack


def loss_function():
    criterion = nn.BCEWithLogitsLoss(reduction="mean")
    return criterion


def train(model, X, y, epochs=100, lr=0.1):
    loss = loss_function()
    sgd = torch.optim.SGD(model.parameters(), lr=lr)
    sums = []
    for _ in range(epochs):
        epoch_loss = 0.0
        for i in range(len(y)):
            l = loss(model(X[i:i + 1, :]), y[i:i + 1, :])
            l.backward()
            sgd.step()
            sgd.zero_grad()
            epoch_loss += float(l)
        sums.append(epoch_loss)
    return sums


def accuracy(model, X, y):
    with torch.no_grad():
        # the logistic is above 0.5 where the logit is above 0
        guess = (model(X) > 0).float()
    return (guess == y).float().mean().item()
