import torch

count = 0


def relu(x):
    keep = (x > 0).double().to(x.dtype)
    return keep * x


def logistic(x):
    return 1 / (1 + torch.exp(-x))


def cross_entropy(y_pred, y):
    return -(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred)).mean()


def forward(X, W1, b1, W2, b2):
    return logistic(relu(X @ W1 + b1) @ W2 + b2)


def sgd(params, lr=0.1):
    global count
    count += 1
    with torch.no_grad():
        for name, p in zip(["W1", "b1", "W2", "b2"], params):
            print(f"  {name}: largest gradient {p.grad.abs().max().item():.5f}")
            p -= lr * p.grad
            p.grad.zero_()


def init_params(hidden=20):
    W1 = torch.randn(2, hidden, requires_grad=True)
    b1 = torch.zeros(hidden, requires_grad=True)
    W2 = torch.randn(hidden, 1, requires_grad=True)
    b2 = torch.zeros(1, requires_grad=True)
    print("made", sum(p.numel() for p in (W1, b1, W2, b2)), "parameters")
    return [W1, b1, W2, b2]


def train(params, X, Y, epochs=100, lr=0.1):
    losses = []
    for epoch in range(epochs):
        print("=" * 30, "epoch", epoch, "=" * 30)
        for i, (x, y) in enumerate(zip(X, Y)):
            y_pred = forward(x, *params)
            loss = cross_entropy(y_pred, y)
            print(f"sample {i}: x={x.tolist()} y={y.item()} p={y_pred.item():.4f} loss={loss.item():.4f}")
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
        print("mean loss of the epoch:", sum(losses[-len(X):]) / len(X), "steps so far:", count)
    return losses
