import torch

# relu(x) = x * H(x) with the step function H(x) = (sign(x) + 1) / 2
def relu(x):
    H = (torch.sign(x) + 1) / 2
    return x * H

def logistic(x):
    return torch.div(1, torch.add(1, torch.exp(torch.mul(x, -1))))

def cross_entropy(y_pred, y):
    a = torch.mul(y, torch.log(y_pred))
    b = torch.mul(torch.sub(1, y), torch.log(torch.sub(1, y_pred)))
    return torch.neg(torch.mean(torch.add(a, b)))

def forward(X, W1, b1, W2, b2):
    return logistic(torch.add(torch.matmul(relu(torch.add(torch.matmul(X, W1), b1)), W2), b2))

def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p.subtract_(torch.mul(p.grad, lr))
            torch.zero_(p.grad)

def init_params(hidden=20):
    return [torch.randn(2, hidden, requires_grad=True), torch.randn(hidden, requires_grad=True),
            torch.randn(hidden, 1, requires_grad=True), torch.randn(1, requires_grad=True)]

def train(params, X, Y, epochs=100, lr=0.1):
    L = []
    for _ in range(epochs):
        for i in range(X.shape[0]):
            l = cross_entropy(forward(X[[i]], *params), Y[[i]])
            l.backward()
            L += [l.item()]
            sgd(params, lr)
    return L
