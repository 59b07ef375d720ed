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

from grader.assignment import find_assignment
from grader.checking.draw import Draw
from grader.misconceptions.catalogue import general, load_catalogue, merged
from grader.misconceptions.imitation import Imitation, collect
from grader.misconceptions.values import fit
from grader.observation import Argument, Observation, flatten_tensors

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
    "arguments-swapped": (1e-7, 1e-9),
    "first-sample-only": (0.0, 2.0),
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


def numbers(one: Imitation, args: tuple[Any, ...], returned: Any) -> list[tuple[float, ...]]:
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
        for k in numbers(one, (), None):
            calls = seen(one, k, inputs)
            found = fit(case(exercise), one, calls)
            assert found != (), (one.account, k)
            if "{k}" in one.account:
                assert found == pytest.approx(k, rel=1e-3), one.account
            for other in imitations:
                if set(other.slugs) != set(one.slugs):
                    assert not matches(exercise, other, calls), (one.account, k, other.account)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_time(exercise: str) -> None:
    inputs = all_inputs(exercise)
    best = math.inf
    for _ in range(3):
        copies = [[fresh(args) for args in inputs] for _ in OWN.of(exercise)]
        start = time.perf_counter()
        for one, given in zip(OWN.of(exercise), copies, strict=True):
            extra = numbers(one, (), None)[0]
            for args in given:
                one.function(*((LIBRARY,) if one.pieces else ()), *args, *extra)
        best = min(best, time.perf_counter() - start)
    print(exercise, len(OWN.of(exercise)), len(inputs), best * 1e3)
