import torch

#################
# activation functions
#################
def relu(x):
    zeros = torch.zeros(x.size())
    return torch.where(x > zeros, x, zeros)

def logistic(x):
    return 1.0/(1.0 + torch.exp(-1.0*x))

#################
# loss
#################
def cross_entropy(y_pred, y):
    loss_if_one = -torch.log(y_pred)
    loss_if_zero = -torch.log(1.0 - y_pred)
    return torch.where(y > 0.5, loss_if_one, loss_if_zero).mean()

#################
# network
#################
def forward(X, W1, b1, W2, b2):
    Z1 = torch.matmul(X, W1) + b1
    A1 = relu(Z1)
    Z2 = torch.matmul(A1, W2) + b2
    A2 = logistic(Z2)
    return A2

def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p -= lr*p.grad
    for p in params:
        if p.grad is not None:
            p.grad.detach_()
            p.grad.zero_()

def init_params(hidden=20):
    W1 = torch.randn(2, hidden, requires_grad=True)
    b1 = torch.zeros(hidden, requires_grad=True)
    W2 = torch.randn(hidden, 1, requires_grad=True)
    b2 = torch.zeros(1, requires_grad=True)
    return [W1, b1, W2, b2]

#################
# training
#################
def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for epoch in range(epochs):
        for i in range(X.shape[0]):
            x = X[i]
            y = Y[i]
            y_pred = forward(x, *params)
            loss = cross_entropy(y_pred, y)
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
