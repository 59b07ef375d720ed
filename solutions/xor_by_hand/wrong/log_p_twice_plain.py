# expect: cross_entropy: log-p-twice
# %% imports
import torch

torch.manual_seed(0)


# %% activation functions
def relu(x):
    return torch.clamp_min(x, 0)


def logistic(x):
    return torch.reciprocal(torch.exp(torch.neg(x)) + 1)


def cross_entropy(y_pred, y):
    return -(y * torch.log(y_pred) + (1 - y) * torch.log(y_pred)).mean()


# %% network
class Network:
    """Holds the weights, so that forward stays short."""

    def __init__(self, W1, b1, W2, b2):
        self.layers = [(W1, b1), (W2, b2)]

    def __call__(self, X):
        (W1, b1), (W2, b2) = self.layers
        return logistic(relu(X @ W1 + b1) @ W2 + b2)


def forward(X, W1, b1, W2, b2):
    return Network(W1, b1, W2, b2)(X)


# %% update
def sgd(params, lr=0.1):
    for p in params:
        g = p.grad
        with torch.no_grad():
            p.add_(g.mul(-lr))
        g.zero_()


# %% start
def init_params(hidden=20):
    def weights(*shape):
        t = torch.randn(*shape)
        t.requires_grad_()
        return t

    return [weights(2, hidden), weights(hidden), weights(hidden, 1), weights(1)]


# %% training
def train(params, X, Y, epochs=100, lr=0.1):
    losses = []

    def one_step(x, y):
        loss = cross_entropy(forward(x, *params), y)
        loss.backward()
        losses.append(loss.item())
        sgd(params, lr)

    for _ in range(epochs):
        for i in range(len(Y)):
            one_step(X[[i]], Y[[i]])
    return losses


# %% a short try
points = torch.rand(8, 2)
labels = ((points[:, :1] > 0.5) ^ (points[:, 1:] > 0.5)).float()
first_try = train(init_params(6), points, labels, 2, 0.1)
print("losses of the first try:", first_try[:3])
