# expect: make_model: wrong-return-type
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.fc1 = nn.Linear(2, hidden)
        self.fc2 = nn.Linear(hidden, 1)

    def forward(self, x):
        z = self.fc2(F.relu(self.fc1(x)))
        return torch.sigmoid(z), z


def make_model(hidden=20):
    return Net(hidden)


def to_library(W1, b1, W2, b2):
    hidden = len(b1)
    first, last = nn.Linear(2, hidden), nn.Linear(hidden, 1)
    first.weight.data = W1.detach().T.clone()
    first.bias.data = b1.detach().clone()
    last.weight.data = W2.detach().T.clone()
    last.bias.data = b2.detach().clone()
    return nn.Sequential(first, nn.ReLU(), last)


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
