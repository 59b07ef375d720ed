import torch as th

ZERO = th.tensor(0.0)
ONE = th.tensor(1.0)


def relu(x):
    return th.maximum(x, ZERO)


def logistic(x):
    return ONE / (ONE + th.exp(-x))


def cross_entropy(y_pred, y):
    likelihood = y_pred * y + (ONE - y_pred) * (ONE - y)
    return -th.mean(th.log(likelihood))


def forward(X, W1, b1, W2, b2):
    pre = th.add(th.matmul(X, W1), b1)
    return logistic(th.add(th.matmul(relu(pre), W2), b2))


def sgd(params, lr=0.1):
    with th.no_grad():
        for w in params:
            w[...] = w - lr * w.grad
            w.grad[...] = 0


def init_params(hidden=20):
    w1 = th.normal(0.0, 1.0, size=(2, hidden), requires_grad=True)
    w2 = th.normal(0.0, 1.0, size=(hidden, 1), requires_grad=True)
    c1 = th.full((hidden,), 0.1, requires_grad=True)
    c2 = th.full((1,), 0.1, requires_grad=True)
    return [w1, c1, w2, c2]


def train(params, X, Y, epochs=100, lr=0.1):
    out = []
    for _ in range(epochs):
        for k in range(len(Y)):
            err = cross_entropy(forward(X[k], *params), Y[k])
            err.backward()
            out.append(err.item())
            sgd(params, lr)
    return out
