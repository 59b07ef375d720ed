import torch as tc

def relu(z):
    return tc.clamp(z, min=0)

def logistic(z):
    return 1/(1 + tc.exp(-z))

def cross_entropy(p, t):
    return -(t*tc.log(p) + (1 - t)*tc.log(1 - p)).mean()

def forward(x, w, b, v, c):
    return logistic(relu(x@w + b)@v + c)

def sgd(theta, eta=0.1):
    with tc.no_grad():
        for w in theta:
            w -= eta*w.grad
            w.grad.zero_()

def init_params(n=20):
    return [tc.randn(2, n, requires_grad=True), tc.zeros(n, requires_grad=True),
            tc.randn(n, 1, requires_grad=True), tc.zeros(1, requires_grad=True)]

def train(theta, inputs, targets, n_epochs=100, eta=0.1):
    curve = []
    for _ in range(n_epochs):
        for x, t in zip(inputs, targets):
            E = cross_entropy(forward(x, *theta), t)
            E.backward()
            curve.append(E.item())
            sgd(theta, eta)
    return curve
