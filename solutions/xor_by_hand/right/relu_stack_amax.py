import torch

def relu(x):
    both = torch.stack([x, torch.zeros_like(x)])
    return torch.max(both, dim=0).values

def logistic(x):
    # exp(-log(1 + exp(-x))), with the logarithm taken safely
    return torch.exp(-torch.logaddexp(torch.zeros_like(x), -x))

def cross_entropy(y_pred, y):
    both = torch.stack([torch.log(1 - y_pred), torch.log(y_pred)], dim=-1)
    picked = torch.gather(both, -1, y.long().unsqueeze(-1))
    return -picked.mean()

def forward(X, W1, b1, W2, b2):
    hidden = relu(torch.tensordot(X, W1, dims=1) + b1)
    return logistic(torch.tensordot(hidden, W2, dims=1) + b2)

def sgd(params, lr=0.1):
    grads = [p.grad for p in params]
    with torch.no_grad():
        torch._foreach_add_(list(params), grads, alpha=-lr)
        torch._foreach_zero_(grads)

def init_params(hidden=20):
    sizes = {"W1": (2, hidden), "b1": (hidden,), "W2": (hidden, 1), "b2": (1,)}
    return tuple(torch.randn(s, requires_grad=True) for s in sizes.values())

def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for _ in range(epochs):
        for i in range(len(X)):
            loss = cross_entropy(forward(X[i:i+1], *params), Y[i:i+1])
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
