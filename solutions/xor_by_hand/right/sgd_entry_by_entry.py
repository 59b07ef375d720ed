import torch

def relu(x):
    return torch.where(x > 0, x, 0 * x)

def logistic(x):
    return 1 / (1 + torch.exp(-x))

def cross_entropy(y_pred, y):
    N = y.numel()
    loss = 0
    for p, label in zip(y_pred.reshape(N), y.reshape(N)):
        loss += -torch.log(p) if label == 1 else -torch.log(1 - p)
    return loss / N

def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)

def sgd(params, lr=0.1):
    """Slow, but here one sees what happens to every single number."""
    with torch.no_grad():
        for p in params:
            flat = p.view(-1)
            slope = p.grad.view(-1)
            for i in range(flat.shape[0]):
                flat[i] = flat[i] - lr * slope[i]
                slope[i] = 0

def init_params(hidden=20):
    import random
    W1 = torch.tensor([[random.gauss(0, 1) for _ in range(hidden)] for _ in range(2)])
    b1 = torch.tensor([random.gauss(0, 1) for _ in range(hidden)])
    W2 = torch.tensor([[random.gauss(0, 1)] for _ in range(hidden)])
    b2 = torch.tensor([random.gauss(0, 1)])
    for p in (W1, b1, W2, b2):
        p.requires_grad = True
    return [W1, b1, W2, b2]

def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for x, y in zip(X, Y):
            loss = cross_entropy(forward(x, *params), y)
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
