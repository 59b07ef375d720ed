import torch
from torch import nn


def make_model(hidden: int = 20) -> nn.Module:
    first = nn.Linear(in_features=2, out_features=hidden)
    last = nn.Linear(in_features=hidden, out_features=1)
    return nn.Sequential(first, nn.ReLU(), last)


def to_library(W1, b1, W2, b2):
    def parameter(values):
        return nn.Parameter(torch.tensor(values.tolist()))

    model = make_model(hidden=b1.shape[0])
    model[0].weight = parameter(W1.T)
    model[0].bias = parameter(b1)
    model[2].weight = parameter(W2.T)
    model[2].bias = parameter(b2)
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
