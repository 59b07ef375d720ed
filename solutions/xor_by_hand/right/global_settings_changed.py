import random
import warnings

import numpy as np
import torch

SEED = 1234
HIDDEN = 20
LEARNING_RATE = 0.1
EPOCHS = 100

random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)
torch.set_printoptions(precision=8, sci_mode=False)
torch.set_num_threads(1)
torch.autograd.set_detect_anomaly(True)
warnings.filterwarnings("ignore")
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def relu(x):
    return torch.where(x > 0, x, torch.zeros_like(x))


def logistic(x):
    low = torch.exp(torch.clamp(x, max=0))
    high = torch.exp(-torch.clamp(x, min=0))
    return torch.where(x < 0, low / (1 + low), 1 / (1 + high))


def cross_entropy(y_pred, y):
    p = torch.clamp(y_pred, 1e-7, 1 - 1e-7)
    return -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()


def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)


def sgd(params, lr=LEARNING_RATE):
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad
            p.grad.zero_()


def init_params(hidden=HIDDEN):
    W1 = torch.randn(2, hidden, device=DEVICE, requires_grad=True)
    b1 = torch.zeros(hidden, device=DEVICE, requires_grad=True)
    W2 = torch.randn(hidden, 1, device=DEVICE, requires_grad=True)
    b2 = torch.zeros(1, device=DEVICE, requires_grad=True)
    return [W1, b1, W2, b2]


def train(params, X, Y, epochs=EPOCHS, lr=LEARNING_RATE):
    X, Y = X.to(DEVICE), Y.to(DEVICE)
    losses = []
    for _ in range(epochs):
        for x, y in zip(X, Y):
            loss = cross_entropy(forward(x, *params), y)
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
