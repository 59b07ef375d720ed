import torch

def relu(x):
    return (torch.abs(x) + x) * 0.5

def logistic(x):
    return 1 / (1 + torch.exp(-x))

def cross_entropy(y_pred, y):
    return -(torch.log(y_pred) * y + torch.log(1 - y_pred) * (1 - y)).mean()

def forward(X, W1, b1, W2, b2):
    # matrix products by hand, too
    x1 = X[..., 0:1]
    x2 = X[..., 1:2]
    hidden = relu(x1 * W1[0] + x2 * W1[1] + b1)
    score = (hidden * W2[:, 0]).sum(dim=-1, keepdim=True) + b2
    return logistic(score)

def sgd(params, lr=0.1):
    n = len(params)
    with torch.no_grad():
        for k in range(n):
            params[k].sub_(params[k].grad, alpha=lr)
        for k in range(n):
            params[k].grad.zero_()

def init_params(hidden=20):
    params = []
    params.append(torch.randn(2, hidden, requires_grad=True))
    params.append(torch.randn(hidden, requires_grad=True))
    params.append(torch.randn(hidden, 1, requires_grad=True))
    params.append(torch.randn(1, requires_grad=True))
    return params

def train(params, X, Y, epochs=100, lr=0.1):
    n = X.shape[0]
    losses = []
    for step in range(epochs * n):
        i = step % n
        loss = cross_entropy(forward(X[i], *params), Y[i])
        loss.backward()
        losses.append(loss.item())
        sgd(params, lr)
    return losses
