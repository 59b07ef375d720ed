"""A check is not run again on answers that passed it before; on any other answer it is."""

from __future__ import annotations

import functools

import pytest
import torch

from grader.checking import recalling
from grader.checking.recalling import Calls, Recalling
from grader.student.in_process import InProcessBackend
from grader.student.proxy import Student
from grader.student.worker import messages as m

DOUBLE = "def f(x):\n    return x * 2\n"
TWICE = "def f(x):\n    return x + x\n"  # other code, the same numbers
TRIPLE = "def f(x):\n    return x * 3\n"
LONG = "def f(x):\n    return x * 2, '.' * 100_000, '.' * 100_000, '.' * 100_000\n"


# Right the first time that it is called, and then no more.
LATE = """
seen = []

def f(x):
    seen.append(1)
    return x * 2 + 1e-3 * (len(seen) == 2)

def count():
    return len(seen)
"""


def student(source: str) -> Student:
    backend = InProcessBackend(m.Load([m.Cell("s.py", source)]))
    backend.load()
    return Student(backend)


class Judge:
    """A check of two calls, and how often it was run."""

    def __init__(self) -> None:
        self.recalling = Recalling()
        self.ran = 0

    def of(self, one: Student, key: str = "check") -> bool:
        one.begin(key)

        def live() -> bool:
            self.ran += 1
            x = torch.tensor([1.0, 2.0])
            first = one.f(x)
            return torch.equal(first, x * 2) and torch.equal(one.f(first), first * 2)

        passed, self.exchanges = self.recalling.run(key, one, live, keep=bool)
        return passed


@pytest.mark.parametrize("source", [DOUBLE, TWICE])
def test_equal_answers_pass_without_a_run(source: str) -> None:
    judge = Judge()
    assert judge.of(student(DOUBLE))
    again = student(source)
    assert judge.of(again)
    assert judge.ran == 1
    calls = Calls(again, judge.exchanges)
    assert [call.function for call in calls] == ["f", "f"]
    assert calls[1].args[0].tolist() == [2.0, 4.0]
    assert calls[1].returned.tolist() == [4.0, 8.0]
    assert all(not argument.changed for argument in calls[1].arguments)


def test_another_answer_is_judged() -> None:
    judge = Judge()
    assert judge.of(student(DOUBLE))
    assert not judge.of(student(TRIPLE))
    assert not judge.of(student(TRIPLE))  # what failed is judged again
    assert judge.ran == 3


def test_each_call_is_made_once() -> None:
    judge = Judge()
    assert judge.of(student(DOUBLE))
    source = (
        "seen = []\ndef f(x):\n    seen.append(1)\n    return x * 2 + 1e-3 * (len(seen) == 2)\n"
    )
    late = student(source + "def count():\n    return len(seen)\n")
    assert not judge.of(late)  # the first answer is known, the second is new
    assert judge.ran == 2
    late.begin("after")
    assert late.count() == 2


def test_another_key_is_another_check() -> None:
    judge = Judge()
    assert judge.of(student(DOUBLE), "one")
    assert judge.of(student(DOUBLE), "two")
    assert judge.ran == 2


def test_long_answers_are_not_kept() -> None:
    judge = Judge()

    def ask(one: Student) -> bool:
        judge.ran += 1
        return len(one.f(torch.ones(1))) == 4

    for _ in range(2):
        one = student(LONG)
        one.begin("long")
        judge.recalling.run("long", one, functools.partial(ask, one), keep=bool)
    assert judge.ran == 2


def test_only_so_many_ways_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recalling, "MOST_PATHS", 1)
    judge = Judge()
    assert judge.of(student(DOUBLE))
    in_place = "def f(x):\n    y = x.clone()\n    y.requires_grad_()\n    return y * 2\n"
    for _ in range(2):  # right as well, but with a graph where the first had none
        assert judge.of(student(in_place))
    assert judge.ran == 3


@pytest.mark.parametrize(("first", "then"), [("1.0", "1"), ("1.0", "True"), ("0.0", "-0.0")])
def test_what_only_compares_equal_is_judged(first: str, then: str) -> None:
    recalled = Recalling()

    def kind_of_answer(text: str) -> str:
        one = student(f"def f(x):\n    return [{text}]\n")
        one.begin("check")
        outcome, _ = recalled.run("check", one, lambda: repr(one.f(1)), keep=bool)
        return outcome

    assert kind_of_answer(first) == f"[{first}]"
    assert kind_of_answer(then) == f"[{then}]"


def test_equal_nans_pass_without_a_run() -> None:
    recalled = Recalling()
    ran = []

    def live(one: Student) -> bool:
        ran.append(1)
        return one.f(float("nan")) != 0

    for _ in range(2):
        one = student("def f(x):\n    return x\n")
        one.begin("check")
        recalled.run("check", one, functools.partial(live, one), keep=bool)
    assert len(ran) == 1


def test_each_call_is_made_once_on_a_nan() -> None:
    recalled = Recalling()
    for text in ("x * 2", LATE):
        one = student(text if "def" in text else f"def f(x):\n    return {text}\n")
        one.begin("check")

        def live(one: Student = one) -> bool:
            return one.f(float("nan")) != one.f(float("nan"))

        recalled.run("check", one, live, keep=bool)
    one.begin("after")
    assert one.count() == 2


def test_the_little_time_of_who_overran_is_his_own() -> None:
    recalled = Recalling()
    overran = student(DOUBLE)
    overran._overran.add("f")
    asked = []
    for one in (overran, student(DOUBLE)):
        one.begin("check")
        _, exchanges = recalled.run("check", one, functools.partial(one.f, 1), keep=bool)
        asked += [exchange.request.seconds for exchange in exchanges]
    assert asked == [0.5, 5.0]


def test_only_so_much_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recalling, "MOST_IN_ALL", 100)
    judge = Judge()
    assert judge.of(student(DOUBLE))
    assert judge.of(student(DOUBLE))
    assert judge.ran == 2


def test_a_text_that_cannot_be_written_is_judged() -> None:
    one = student("def f(x):\n    return '\\ud800'\n")
    one.begin("check")
    outcome, exchanges = Recalling().run("check", one, lambda: one.f(1), keep=bool)
    assert outcome == "\ud800"
    assert len(exchanges) == 1
    assert recalling.digest(exchanges) != recalling.digest([])
