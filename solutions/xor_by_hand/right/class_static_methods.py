import torch


class Network:
    """All of it in one class; the names that the sheet asks for are at the end."""

    @staticmethod
    def relu(x):
        return torch.where(x > 0, x, torch.zeros_like(x))

    @staticmethod
    def logistic(x):
        return 1 / (1 + torch.exp(-x))

    @staticmethod
    def loss(y_pred, y):
        return -(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred)).mean()

    @classmethod
    def predict(cls, X, W1, b1, W2, b2):
        return cls.logistic(cls.relu(X @ W1 + b1) @ W2 + b2)

    @staticmethod
    def step(params, lr=0.1):
        with torch.no_grad():
            for p in params:
                p -= lr * p.grad
                p.grad.zero_()

    @staticmethod
    def start(hidden=20):
        return [
            torch.randn(2, hidden, requires_grad=True),
            torch.zeros(hidden, requires_grad=True),
            torch.randn(hidden, 1, requires_grad=True),
            torch.zeros(1, requires_grad=True),
        ]

    @classmethod
    def fit(cls, params, X, Y, epochs=100, lr=0.1):
        losses = []
        for _ in range(epochs):
            for x, y in zip(X, Y):
                loss = cls.loss(cls.predict(x, *params), y)
                loss.backward()
                losses.append(loss.item())
                cls.step(params, lr)
        return losses


relu = Network.relu
logistic = Network.logistic
cross_entropy = Network.loss
forward = Network.predict
sgd = Network.step
init_params = Network.start
train = Network.fit
