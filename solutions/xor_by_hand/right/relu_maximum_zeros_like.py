import torch

def relu(x):
    """Rectified linear unit: the larger of x and 0, entry by entry."""
    return torch.maximum(x, torch.zeros_like(x))

def logistic(x):
    """Squashes any real number into (0, 1)."""
    return torch.pow(1 + torch.exp(-x), -1)

def cross_entropy(y_pred, y):
    """Binary cross-entropy, averaged over the samples."""
    # the probability that the net gives to the class that is really there
    p_right = torch.where(y == 1, y_pred, 1 - y_pred)
    return -torch.log(p_right).mean()

def forward(X, W1, b1, W2, b2):
    """Two layers. Gives the probability of class 1."""
    layer1 = relu(torch.matmul(X, W1) + b1)
    layer2 = logistic(torch.matmul(layer1, W2) + b2)
    return layer2

def sgd(params, lr=0.1):
    """One step down the gradient, then the gradients are forgotten."""
    with torch.no_grad():
        for p in params:
            new_value = p - lr * p.grad
            p.copy_(new_value)
            p.grad = torch.zeros_like(p)

def init_params(hidden=20):
    """Small random weights, zero biases."""
    W1 = torch.empty(2, hidden).normal_(0, 0.5)
    b1 = torch.zeros(1, hidden)
    W2 = torch.empty(hidden, 1).normal_(0, 0.5)
    b2 = torch.zeros(1, 1)
    for t in (W1, b1, W2, b2):
        t.requires_grad_()
    return W1, b1, W2, b2

def train(params, X, Y, epochs=100, lr=0.1):
    """Trains in place. Returns one loss a step."""
    losses = list()
    number_of_samples = X.size(0)
    epoch = 0
    while epoch < epochs:
        i = 0
        while i < number_of_samples:
            x = X[i].reshape(1, 2)
            y = Y[i].reshape(1, 1)
            y_pred = forward(x, *params)
            loss = cross_entropy(y_pred, y)
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
            i += 1
        epoch += 1
    return losses
