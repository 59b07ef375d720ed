"""The wrong answers of `xor_by_hand` are wrong, differ from each other, and can be recognised."""

from __future__ import annotations

import copy
import functools
import importlib.util
import math
import time
import types
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from grader.assignment import find_assignment
from grader.checking.draw import Draw
from grader.misconceptions.catalogue import general, load_catalogue, merged
from grader.misconceptions.imitation import Imitation, collect
from grader.misconceptions.values import fit
from grader.observation import Argument, Observation, flatten_tensors
from grader.student.in_process import InProcessBackend
from grader.student.proxy import Student
from grader.student.worker import messages as m

FOLDER = Path(__file__).parents[2] / "assignments" / "xor_by_hand"
EXERCISES = ("relu", "logistic", "cross_entropy", "forward", "train")


def load(name: str) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(f"xor_by_hand_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LIBRARY = load("library_pieces")
MODULE = load("misconceptions")
OWN = collect(MODULE)

# Numbers to give to those that have one free, in the range where each can be told.
NUMBERS = {
    "relu-leaky": (0.01, 0.3, -0.1),
    "relu-softplus": (1.0, 2.0),
    "relu-capped": (1.0, 6.0),
    "epsilon-too-large": (0.01, 0.1),
    "arguments-swapped": (1e-7, 1e-5),
}


@functools.cache
def case(exercise: str) -> Any:
    kind = find_assignment("xor_by_hand").exercise(exercise).kind
    return types.SimpleNamespace(library=LIBRARY, exercise=types.SimpleNamespace(kind=kind))


def parameters(draw: Draw, hidden: int) -> list[torch.Tensor]:
    shapes = ((2, hidden), (hidden,), (hidden, 1), (1,))
    return [draw.normal(*shape).requires_grad_() for shape in shapes]


def as_in_checks(exercise: str, draw: Draw) -> list[tuple[Any, ...]]:
    """Arguments of the sizes and ranges that the public checks use."""
    if exercise == "relu":
        return [(draw.away_from(0, 5, 4, reach=9),), (draw.away_from(0, 6),)]
    if exercise == "logistic":
        return [(draw.away_from(0, 5, 4, reach=6),), (draw.normal(6),)]
    if exercise == "cross_entropy":
        shapes = ((7, 1), (5, 1))
        return [(draw.uniform(*s, low=0.05, high=0.95), draw.labels(*s)) for s in shapes]
    if exercise == "forward":
        params = parameters(draw, 5)
        X = draw.uniform(7, 2)
        return [(X, *params), (X[0:1], *params), (X[1], *params)]
    X = draw.uniform(5, 2)
    Y = draw.labels(5, 1)
    return [(parameters(draw, 4), X, Y, 2, 0.0), (parameters(draw, 5), X, Y, 3, 0.1)]


def all_inputs(exercise: str, seed: int = 0) -> list[tuple[Any, ...]]:
    draw = Draw(seed, exercise)
    assert OWN.inputs is not None
    return [*as_in_checks(exercise, draw), *OWN.inputs(exercise, draw)]


def fresh(args: tuple[Any, ...]) -> list[Any]:
    return [
        [p.detach().clone().requires_grad_() for p in arg]
        if isinstance(arg, list)
        else copy.deepcopy(arg)
        for arg in args
    ]


def run(function: Any, args: tuple[Any, ...], first: tuple[Any, ...], extra: Any) -> Observation:
    """What the grader would have seen of a submission that does what `function` does."""
    given = fresh(args)
    before = flatten_tensors(args)
    returned = function(*first, *given, *extra)
    arguments = tuple(
        Argument(b, a, not torch.equal(b, a), b.requires_grad, True, True)
        for b, a in zip(before, flatten_tensors(given), strict=True)
    )
    return Observation("", "", args, {}, returned=returned, arguments=arguments)


def numbers(one: Imitation) -> list[tuple[float, ...]]:
    if one.fit is None:
        return [()]
    known = [k for slug, values in NUMBERS.items() if slug in one.slugs for k in values]
    return [(k,) for k in known] if known and one.account.count("{k}") else [(0.0,)]


def seen(one: Imitation, k: tuple[float, ...], inputs: list[tuple[Any, ...]]) -> list[Observation]:
    first = (LIBRARY,) if one.pieces else ()
    return [run(one.function, args, first, k) for args in inputs]


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Any:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def test_every_slug_is_in_the_catalogue() -> None:
    known = merged(general(), load_catalogue(FOLDER / "misconceptions.toml"))
    used = {slug for one in OWN.imitations for slug in one.slugs}
    used |= {one.slug for one in OWN.recognisers}
    assert used <= set(known)
    assert len(used) > 40


def test_accounts_follow_a_colon() -> None:
    for one in [*OWN.imitations, *OWN.recognisers]:
        assert one.account, one
        assert not one.account.endswith("."), one.account
        assert one.account[0].islower() or one.account[0] in "{`", one.account


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_right_answer_fits_no_imitation(exercise: str) -> None:
    oracle = getattr(LIBRARY, exercise)
    for seed in range(3):
        calls = [run(oracle, args, (), ()) for args in all_inputs(exercise, seed)]
        for one in OWN.of(exercise):
            assert fit(case(exercise), one, calls) == (), one.account


def matches(exercise: str, one: Imitation, calls: list[Observation]) -> bool:
    return fit(case(exercise), one, calls) != ()


@pytest.mark.parametrize("exercise", EXERCISES)
def test_each_fits_its_own_values_and_is_told_apart_from_the_others(exercise: str) -> None:
    inputs = all_inputs(exercise)
    imitations = OWN.of(exercise)
    for one in imitations:
        for k in numbers(one):
            calls = seen(one, k, inputs)
            found = fit(case(exercise), one, calls)
            assert found != (), (one.account, k)
            if "{k}" in one.account:
                assert found == pytest.approx(k, rel=1e-3), one.account
            for other in imitations:
                if set(other.slugs) != set(one.slugs):
                    assert not matches(exercise, other, calls), (one.account, k, other.account)


# Mistakes that have no name here: any name for them would be wrong.
UNNAMED = {
    "relu": [
        lambda x: x,
        lambda x: x * 0,
        torch.sign,
        F.elu,
        F.gelu,
        F.silu,
        F.softsign,
        lambda x: -torch.relu(x),
        lambda x: 2 * torch.relu(x),
        lambda x: torch.relu(x) + 0.01,
        lambda x: x.clamp(-1, 1),
        lambda x: torch.where(x > 0, x, 2 * x),
        lambda x: torch.where(x > 0, 2 * x, 0.1 * x),
        lambda x: x * float("nan"),
    ],
    "logistic": [
        lambda x: torch.sigmoid(2.5 * x),
        lambda x: -torch.sigmoid(x),
        lambda x: torch.sigmoid(x) - 1,
        torch.exp,
        F.logsigmoid,
        F.hardsigmoid,
        torch.relu,
        torch.zeros_like,
        lambda x: x * float("nan"),
    ],
    "cross_entropy": [
        lambda p, y: p.mean(),
        lambda p, y: y,
        lambda p, y: p.sum() * 0,
        lambda p, y: F.binary_cross_entropy(1 - p, y),
        lambda p, y: F.binary_cross_entropy(p, p),
        lambda p, y: F.binary_cross_entropy(p, y) * 0.97,
        lambda p, y: F.binary_cross_entropy(p, y) + 0.01,
        lambda p, y: F.binary_cross_entropy(p, y, reduction="none").max(),
        lambda p, y: ((p - y) ** 4).mean(),
        lambda p, y: -F.binary_cross_entropy(p, torch.zeros_like(p)),
        lambda p, y: ((1 - y) * F.binary_cross_entropy(p, y, reduction="none")).mean(),
        lambda p, y: p.mean() * float("nan"),
        lambda p, y: p.mean() + math.inf,
    ],
    "forward": [
        MODULE.layers(hidden=torch.tanh),
        MODULE.layers(hidden=F.elu),
        MODULE.layers(output=F.logsigmoid),
        MODULE.layers(output=torch.zeros_like),
        lambda X, W1, b1, W2, b2: X.sum(-1, keepdim=True),
        lambda X, W1, b1, W2, b2: torch.sigmoid(F.linear(X, W1.T).sum(-1, keepdim=True)),
        lambda X, W1, b1, W2, b2: LIBRARY.forward(X, W1, b1, W2, b2) * float("nan"),
    ],
    "train": [
        lambda params, X, Y, epochs, lr: LIBRARY.train(params, X, Y, epochs, lr / 2),
        lambda params, X, Y, epochs, lr: LIBRARY.train(params, X.flip(0), Y.flip(0), epochs, lr),
        lambda params, X, Y, epochs, lr: LIBRARY.train(params, X, 1 - Y, epochs, lr),
        lambda params, X, Y, epochs, lr: LIBRARY.train(params, X, Y, epochs + 1, lr),
        lambda params, X, Y, epochs, lr: [0.0] * (epochs * len(X)),
        lambda params, X, Y, epochs, lr: [],
    ],
}


@pytest.mark.parametrize("exercise", EXERCISES)
def test_what_has_no_name_gets_none(exercise: str) -> None:
    inputs = all_inputs(exercise)
    for place, function in enumerate(UNNAMED[exercise]):
        calls = [run(function, args, (), ()) for args in inputs]
        named = [one.account for one in OWN.of(exercise) if matches(exercise, one, calls)]
        assert not named, place


@pytest.mark.parametrize(
    ("slug", "function", "k"),
    [
        ("relu-leaky", lambda x: torch.where(x > 0, x, x * 0.01), 0.01),
        ("relu-leaky", lambda x: torch.where(x > 0, x, x / 3), 1 / 3),
        ("relu-capped", lambda x: x.clamp(0, 6), 6.0),
        ("relu-capped", lambda x: x.clamp(0, 2.5), 2.5),
        ("relu-softplus", lambda x: torch.log(1 + torch.exp(3 * x.clamp(max=20))) / 3, 3.0),
    ],
)
def test_fits_find_the_number_in_relu(slug: str, function: Any, k: float) -> None:
    x = Draw(5, "relu").away_from(0, 5, 4, reach=9)
    calls = [run(function, (x,), (), ())]
    found = [
        fit(case("relu"), one, calls) for one in OWN.of("relu") if one.slugs == (slug,) and one.fit
    ]
    assert found == [pytest.approx((k,), rel=1e-3)]


@pytest.mark.parametrize("k", [1e-4, 0.003, 0.01, 0.05, 0.1])
def test_fits_find_the_number_against_zeros(k: float) -> None:
    y_pred = torch.tensor([[0.9], [0.04], [0.3], [0.75], [0.6]])
    y = torch.tensor([[1.0], [0.0], [0.0], [1.0], [0.0]])

    def guarded(p: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.where(y == 1, -torch.log(p + k), -torch.log(1 - p + k)).mean()

    calls = [run(guarded, (y_pred, y), (), ()), run(guarded, (y_pred.flip(0), y), (), ())]
    found = [
        fit(case("cross_entropy"), one, calls)
        for one in OWN.of("cross_entropy")
        if one.slugs == ("epsilon-too-large",) and matches("cross_entropy", one, calls)
    ]
    assert found == [pytest.approx((k,), rel=2e-2)]


@pytest.mark.parametrize(
    ("function", "values"),
    [
        ("leaky", lambda x: torch.relu(x)),
        ("leaky", lambda x: x),
        ("capped", lambda x: torch.relu(x)),
        ("softplus", lambda x: torch.relu(x)),
    ],
)
def test_fits_refuse_what_no_number_explains(function: str, values: Any) -> None:
    x = Draw(6, "relu").away_from(0, 5, 4, reach=9)
    one = next(one for one in OWN.of("relu") if one.function.__name__ == function)
    assert one.fit is not None
    assert one.fit((x,), values(x)) is None


def test_a_tiny_number_against_zeros_is_not_too_large() -> None:
    y_pred, y = torch.tensor([[0.9], [0.2], [0.6]]), torch.tensor([[1.0], [0.0], [0.0]])
    value = F.binary_cross_entropy(y_pred + 1e-7, y)
    for one in OWN.of("cross_entropy"):
        if one.slugs == ("epsilon-too-large",):
            assert one.fit is not None
            assert one.fit((y_pred, y), value) is None


def recognised(exercise: str, body: str, args: tuple[Any, ...]) -> list[str]:
    """Slugs of the recognisers that fit the record of a real call."""
    signature = find_assignment("xor_by_hand").exercise(exercise).signature
    lines = ["import torch", "import torch.nn.functional as F", "def relu(x): return x * (x > 0)"]
    lines += [f"def {signature}:", *(f"    {line}" for line in body.splitlines())]
    backend = InProcessBackend(m.Load([m.Cell("s.py", "\n".join(lines))]))
    student = Student(backend)
    student.begin("recognised")
    record = student.run(exercise, args)
    line = lines[record.raised.frames[-1].line - 1] if record.raised is not None else ""
    return [
        one.slug for one in OWN.recognisers if one.exercise == exercise and one.test(record, line)
    ]


BATCH, WIDE = torch.rand(7, 2), [torch.rand(2, 5), torch.rand(5), torch.rand(5, 1), torch.rand(1)]
SEVERAL, SINGLE = (BATCH, *WIDE), (BATCH[0], *WIDE)
COLUMNS, TABLE = (BATCH[:, :1], BATCH[:, 1:]), (torch.rand(5, 4),)
MAX, SHAPE, PAIRS = ["torch-max-misused"], ["shape-changed"], ["broadcast-to-matrix"]
TURNED, STAR = ["weights-transposed"], ["elementwise-not-matmul"]


@pytest.mark.parametrize(
    ("exercise", "body", "args", "slugs"),
    [
        ("relu", "return torch.max(x, 0)", TABLE, MAX),
        ("relu", "return torch.max(x, 0)[0]", TABLE, [*MAX, *SHAPE]),
        ("relu", "return torch.max(0, x)", TABLE, MAX),
        ("relu", "return torch.max(x, 0) + 0", TABLE, MAX),
        ("relu", "return torch.maximum(\n    x, 0\n)", (torch.rand(5),), MAX),
        ("relu", "return x[x > 0]", (torch.randn(40),), SHAPE),
        ("relu", "return x.sum()", (torch.rand(5),), SHAPE),
        ("relu", "return x + None", (torch.rand(5),), []),
        ("relu", "return x", (torch.rand(5),), []),
        ("logistic", "return x.mean()", (torch.rand(5, 1),), SHAPE),
        ("cross_entropy", "return y_pred - y.reshape(-1)", COLUMNS, PAIRS),
        ("cross_entropy", "return y_pred - y", COLUMNS, []),
        ("forward", "return relu(X @ W1.T + b1) @ W2 + b2", SEVERAL, TURNED),
        ("forward", "return relu(W1 @ X + b1) @ W2 + b2", SEVERAL, TURNED),
        ("forward", "return relu(W1 @ X + b1) @ W2 + b2", SINGLE, TURNED),
        ("forward", "return relu(X @ W1 + b1).matmul(W2.t()) + b2", SEVERAL, TURNED),
        ("forward", "return F.linear(X, W1, b1)", SEVERAL, TURNED),
        ("forward", "f = lambda a, b: torch.matmul(a, b.T)\nreturn f(X, W1)", SEVERAL, TURNED),
        ("forward", "return relu(\n    X @ W1.T + b1\n) @ W2", SEVERAL, TURNED),
        ("forward", "return relu(X * W1 + b1) @ W2 + b2", SEVERAL, STAR),
        ("forward", "return relu(X @ W1 + b1) * W2 + b2", SEVERAL, STAR),
        ("forward", "return torch.mul(X, W1)", SEVERAL, STAR),
        # A batch in code for one sample, and sums that do not fit: neither is of the weights.
        ("forward", "return relu(W1.T @ X + b1) @ W2 + b2", SEVERAL, []),
        ("forward", "return X @ W1 + W2", SEVERAL, []),
        ("forward", "return X @ W1 @ b1 @ X.T @ X.T", SEVERAL, []),
        ("forward", "raise RuntimeError('X @ W1.T')", SEVERAL, []),
    ],
)  # fmt: skip
def test_recognisers(exercise: str, body: str, args: tuple[Any, ...], slugs: list[str]) -> None:
    assert recognised(exercise, body, args) == slugs


def test_a_loop_without_backward() -> None:
    def unmoved(params: Any, X: Any, Y: Any, epochs: int, lr: float) -> list[float]:
        with torch.no_grad():
            rows = zip(X.split(1), Y.split(1), strict=True)
            losses = [float(LIBRARY.cross_entropy(LIBRARY.forward(x, *params), y)) for x, y in rows]
        return losses * epochs

    one = next(one for one in OWN.recognisers if one.slug == "backward-missing")
    still, trained = as_in_checks("train", Draw(0, "train"))
    assert one.test(run(unmoved, trained, (), ()), "")
    assert not one.test(run(unmoved, still, (), ()), "")  # without a rate nothing moves anyway
    assert not one.test(run(LIBRARY.train, trained, (), ()), "")


@pytest.mark.parametrize("exercise", EXERCISES[:4])
def test_all_of_an_exercise_take_little_time(exercise: str) -> None:
    # Some 10 ms where this was measured; the rest is room for slower machines.
    inputs = all_inputs(exercise)[:6]
    best = math.inf
    for _ in range(3):
        copies = [[fresh(args) for args in inputs] for _ in OWN.of(exercise)]
        start = time.process_time()
        for one, given in zip(OWN.of(exercise), copies, strict=True):
            extra = numbers(one)[0]
            for args in given:
                one.function(*args, *extra)
        best = min(best, time.process_time() - start)
    assert best < 0.06


def test_a_training_loop_without_a_name_takes_little_time() -> None:
    inputs = all_inputs("train")
    calls = [run(UNNAMED["train"][0], args, (), ()) for args in inputs]
    start = time.process_time()
    assert not [one for one in OWN.of("train") if matches("train", one, calls)]
    assert time.process_time() - start < 0.6
