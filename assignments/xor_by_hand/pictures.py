"""The pictures on a student's page: what their functions give beside what is expected.

Called as a check is, with the submission and the oracle; nothing here is judged.
"""

import torch

from grader.report.pictures import (
    Arrows,
    Boundary,
    Curve,
    Line,
    Losses,
    Move,
    Point,
    numbers,
    pictures_of,
    rows,
)

SIDE = 25  # of the grid on which a trained network is asked


@pictures_of("relu")
def relu_on_one_axis(student, oracle):
    yield elementwise("relu", student.relu, oracle.relu, 3.0)


@pictures_of("logistic")
def logistic_on_one_axis(student, oracle):
    yield elementwise("logistic", student.logistic, oracle.logistic, 6.0)


def elementwise(name, theirs, right, reach):
    """A function of one number, from -reach to reach, by one call."""
    x = reach * torch.arange(-20, 21) / 20
    line = Line("", numbers(x), numbers(right(x)), numbers(theirs(x), len(x)))
    return Curve(f"{name} from {-reach:g} to {reach:g}", "x", f"{name}(x)", (line,))


@pictures_of("cross_entropy")
def loss_of_one_prediction(student, oracle):
    """The loss of a single sample, for each of the two labels."""
    p = [0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.98]
    lines = []
    for label in (1.0, 0.0):
        y = torch.tensor([[label]])
        theirs, right = (
            [numbers(loss(torch.tensor([[q]]), y), 1)[0] for q in p]
            for loss in (student.cross_entropy, oracle.cross_entropy)
        )
        lines.append(Line(f"label {label:g}", tuple(p), tuple(right), tuple(theirs)))
    yield Curve("the loss of one prediction", "predicted probability", "loss", tuple(lines))


@pictures_of("sgd")
def one_step(student, oracle):
    """One step of a small network's parameters, an entry or two of each."""
    draw = torch.Generator().manual_seed(11)
    shapes = {"W1": (2, 3), "b1": (3,), "W2": (3, 1), "b2": (1,)}
    params = []
    for shape in shapes.values():
        p = torch.randn(shape, generator=draw).requires_grad_()
        p.grad = torch.randn(shape, generator=draw) + 1.5 * torch.sign(p.detach())
        params.append(p)
    record = student.observe.sgd(params, 0.25)
    right = [p.detach().clone().requires_grad_() for p in params]
    for copy, p in zip(right, params, strict=True):
        copy.grad = p.grad.clone()
    oracle.sgd(right, 0.25)
    moves = []
    for (name, shape), before, due, argument in zip(
        shapes.items(), params, right, record.arguments, strict=True
    ):
        theirs = numbers(argument.after, before.numel())
        for place in [0, before.numel() - 1][: before.numel()]:
            index = ", ".join(str(int(i)) for i in torch.unravel_index(torch.tensor(place), shape))
            was, want = numbers(before)[place], numbers(due)[place]
            moves.append(Move(f"{name}[{index}]", was, want, theirs[place]))
    yield Arrows("one step of each parameter, lr 0.25", tuple(moves))


@pictures_of("train")
def training(student, oracle):
    """A short training from a start that is close: 96 steps, and what the network then says.

    The hidden units look along the diagonals already; what weighs them is to be learned.
    """
    draw = torch.Generator().manual_seed(5)
    start = [
        3 * torch.tensor([[1.0, -1.0, 1.0, -1.0], [1.0, -1.0, -1.0, 1.0]])
        + 0.3 * torch.randn(2, 4, generator=draw),
        3 * torch.tensor([-1.0, 1.0, 0.0, 0.0]) + 0.3 * torch.randn(4, generator=draw),
        0.3 * torch.randn(4, 1, generator=draw),
        torch.zeros(1),
    ]
    X = torch.rand(12, 2, generator=draw)
    Y = ((X > 0.5).sum(dim=1, keepdim=True) == 1).float()

    record = student.observe.train([p.clone().requires_grad_() for p in start], X, Y, 8, 0.2)
    right = [p.clone().requires_grad_() for p in start]
    losses = oracle.train(right, X, Y, 8, 0.2)
    yield Losses("the loss, step by step", numbers(losses), numbers(record.returned)[:200], len(X))

    side = torch.linspace(0, 1, SIDE)
    down, across = torch.meshgrid(side, side, indexing="ij")
    grid = torch.stack([across.reshape(-1), down.reshape(-1)], dim=1)
    trained = [argument.after.detach() for argument in record.arguments[:4]]
    theirs = student.forward(grid, *trained)
    yield Boundary(
        "what the network says after training",
        "first coordinate",
        "second coordinate",
        numbers(side),
        numbers(side),
        rows(oracle.forward(grid, *[p.detach() for p in right]), SIDE, SIDE),
        rows(theirs, SIDE, SIDE),
        tuple(Point(*numbers(x), int(y)) for x, y in zip(X, Y, strict=True)),
    )
