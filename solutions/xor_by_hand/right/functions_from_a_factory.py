import torch


def make_clipper(low):
    def clipper(x):
        return torch.where(x > low, x, torch.full_like(x, low))

    return clipper


def make_squasher(steepness):
    def squasher(x):
        return 1 / (1 + torch.exp(-steepness * x))

    return squasher


relu = make_clipper(0.0)
logistic = make_squasher(1.0)


def make_network(inner, outer):
    def network(X, W1, b1, W2, b2):
        return outer(inner(X @ W1 + b1) @ W2 + b2)

    return network


forward = make_network(relu, logistic)


def cross_entropy(y_pred, y):
    return -(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred)).mean()


def make_optimizer(default_lr):
    @torch.no_grad()
    def optimizer(params, lr=default_lr):
        for p in params:
            p -= lr * p.grad
            p.grad.zero_()

    return optimizer


sgd = make_optimizer(0.1)


def init_params(hidden=20):
    W1 = torch.randn(2, hidden, requires_grad=True)
    b1 = torch.zeros(hidden, requires_grad=True)
    W2 = torch.randn(hidden, 1, requires_grad=True)
    b2 = torch.zeros(1, requires_grad=True)
    return [W1, b1, W2, b2]


def make_trainer(network, loss_function, optimizer):
    def trainer(params, X, Y, epochs=100, lr=0.1):
        losses = []
        for _ in range(epochs):
            for x, y in zip(X, Y):
                loss = loss_function(network(x, *params), y)
                loss.backward()
                losses.append(loss.item())
                optimizer(params, lr)
        return losses

    return trainer


train = make_trainer(forward, cross_entropy, sgd)
