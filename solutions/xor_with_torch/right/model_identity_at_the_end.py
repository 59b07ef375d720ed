import torch
from torch import nn


def make_model(hidden=20):
    # Identity: the logistic lives in the loss
    return nn.Sequential(nn.Linear(2, hidden), nn.ReLU(), nn.Linear(hidden, 1), nn.Identity())


def to_library(W1, b1, W2, b2):
    model = nn.Sequential(nn.Linear(2, W1.size(1)), nn.ReLU(), nn.Linear(W1.size(1), 1))
    with torch.no_grad():
        # Both matrices are stored the other way round.
        for p, value in zip(model.parameters(), (W1.t(), b1, W2.t(), b2)):
            p.copy_(value)
    return model


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
