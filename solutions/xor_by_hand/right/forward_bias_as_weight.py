import torch

def relu(x):
    return torch.where(x >= 0, x, torch.zeros_like(x))

def logistic(x):
    return 1/(1+torch.exp(-x))

def cross_entropy(y_pred, y):
    L = y*torch.log(y_pred) + (1-y)*torch.log(1-y_pred)
    return -L.mean()

def with_ones(A):
    """Puts a column of ones on the right, so that the bias is one more row of the weights."""
    return torch.cat([A, torch.ones(A.shape[0], 1, dtype=A.dtype)], dim=1)

def forward(X, W1, b1, W2, b2):
    X = X.reshape(-1, 2)
    V1 = torch.cat([W1, b1.reshape(1, -1)])
    V2 = torch.cat([W2, b2.reshape(1, 1)])
    return logistic(with_ones(relu(with_ones(X) @ V1)) @ V2)

def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p -= lr*p.grad
            p.grad = torch.zeros_like(p.grad)

def init_params(hidden=20):
    rows = torch.randn(3, hidden)
    W1 = rows[:2].clone().requires_grad_()
    b1 = rows[2].clone().requires_grad_()
    rows = torch.randn(hidden + 1, 1)
    W2 = rows[:hidden].clone().requires_grad_()
    b2 = rows[hidden].clone().requires_grad_()
    return [W1, b1, W2, b2]

def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for i in range(len(X)):
            loss = cross_entropy(forward(X[i:i+1], *params), Y[i:i+1])
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
