# expect: to_library: library-piece-not-used
import torch
from torch import nn


def make_model(hidden=20):
    return nn.Sequential(
        nn.Linear(2, hidden),
        nn.ReLU(),
        nn.Linear(hidden, 1),
    )


class Wrapped(nn.Module):
    def __init__(self, *weights):
        super().__init__()
        self.W1, self.b1, self.W2, self.b2 = (nn.Parameter(w) for w in weights)

    def forward(self, X):
        return torch.relu(X @ self.W1.T + self.b1) @ self.W2.T + self.b2


def to_library(W1, b1, W2, b2):
    copies = [w.detach().clone() for w in (W1.T, b1, W2.T, b2)]
    return Wrapped(*copies)


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
