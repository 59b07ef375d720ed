import torch
from torch import nn


make_model = lambda hidden=20: nn.Sequential(
    nn.Linear(2, hidden), nn.ReLU(), nn.Linear(hidden, 1))


def to_library(W1, b1, W2, b2):
    hidden = W1.shape[1]
    model = nn.Sequential(nn.Linear(2, hidden), nn.ReLU(), nn.Linear(hidden, 1))
    model[0].weight = nn.Parameter(W1.detach().clone().T)
    model[0].bias = nn.Parameter(b1.detach().clone())
    model[2].weight = nn.Parameter(W2.detach().clone().T)
    model[2].bias = nn.Parameter(b2.detach().clone())
    return model


loss_function = lambda: nn.BCEWithLogitsLoss()


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


@torch.no_grad()
def accuracy(model, X, y):
    return ((model(X) > 0) == (y == 1)).float().mean().item()
