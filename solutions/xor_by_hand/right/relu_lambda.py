import torch

relu = lambda x: x * (x > 0)
logistic = lambda x: 1 / (1 + torch.exp(-x))
cross_entropy = lambda y_pred, y: -(y * y_pred.log() + (1 - y) * (1 - y_pred).log()).mean()
forward = lambda X, W1, b1, W2, b2: logistic(relu(X @ W1 + b1) @ W2 + b2)


def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad
            p.grad = None


init_params = lambda hidden=20: [
    torch.randn(*shape, requires_grad=True) for shape in [(2, hidden), (hidden,), (hidden, 1), (1,)]
]


def train(params, X, Y, epochs=100, lr=0.1):
    def step(x, y):
        loss = cross_entropy(forward(x, *params), y)
        loss.backward()
        sgd(params, lr)
        return loss.item()

    return [step(x, y) for _ in range(epochs) for x, y in zip(X, Y)]
