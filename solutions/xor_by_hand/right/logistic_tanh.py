import torch


def relu(x: torch.Tensor) -> torch.Tensor:
    return torch.clamp_min(x, 0)


def logistic(x: torch.Tensor) -> torch.Tensor:
    """The logistic function is a stretched, shifted tanh."""
    return torch.tanh(x / 2) / 2 + 0.5


def cross_entropy(y_pred: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return -(y * torch.log(y_pred) + (1 - y) * torch.log(1 - y_pred)).mean()


def forward(
    X: torch.Tensor,
    W1: torch.Tensor,
    b1: torch.Tensor,
    W2: torch.Tensor,
    b2: torch.Tensor,
) -> torch.Tensor:
    hidden = relu(X @ W1 + b1)
    return logistic(hidden @ W2 + b2)


def sgd(params: list[torch.Tensor], lr: float = 0.1) -> None:
    with torch.no_grad():
        for p in params:
            assert p.grad is not None
            p.sub_(p.grad * lr)
            p.grad = None


def init_params(hidden: int = 20) -> list[torch.Tensor]:
    shapes: list[tuple[int, ...]] = [(2, hidden), (hidden,), (hidden, 1), (1,)]
    return [torch.randn(shape).requires_grad_() for shape in shapes]


def train(
    params: list[torch.Tensor],
    X: torch.Tensor,
    Y: torch.Tensor,
    epochs: int = 100,
    lr: float = 0.1,
) -> list[float]:
    losses: list[float] = []
    for _ in range(epochs):
        for x, y in zip(X, Y, strict=True):
            loss = cross_entropy(forward(x, *params), y)
            loss.backward()
            losses.append(loss.item())
            sgd(params, lr)
    return losses
