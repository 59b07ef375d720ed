"""What an assignment says is to be drawn: read, checked, and refused with its key."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tape_sources import Bench, submitted

from grader.assignment import load_assignment
from grader.composition import Composition
from grader.errors import AssignmentError
from grader.tape.recording import record_steps
from grader.tape.story import Story, record_story

TOML = """
format_version = 1
title = "Two"

[graph]
steps = ["p = model(X, W)", "loss = cost(p, y)"]
leaves = { W = [2, 1] }
data = { X = [4, 2] }
labels = { y = [4, 1] }

[[exercise]]
name = "model"
signature = "model(X, W)"
points = 1

[[exercise]]
name = "cost"
signature = "cost(p, y)"
points = 1
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("GRADE_SOLUTIONS", raising=False)
    folder = tmp_path / "assignments" / "two"
    (folder / "checks").mkdir(parents=True)
    (folder / "library_pieces.py").write_text("")
    return folder


def load(place: Path, toml: str) -> Composition | None:
    (place / "assignment.toml").write_text(toml)
    return load_assignment(place).graph


def test_what_stands_in_it(place: Path) -> None:
    found = load(place, TOML)
    assert found is not None
    assert [str(step) for step in found.calls] == ["p = model(X, W)", "loss = cost(p, y)"]
    assert (found.result, found.leaves) == ("loss", {"W": (2, 1)})


def test_an_assignment_need_not_say(place: Path) -> None:
    head, _, rest = TOML.partition("[graph]")
    assert load(place, head + rest[rest.index("[[exercise]]") :]) is None


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('"p = model(X, W)"', '"p = modell(X, W)"', "graph.steps[0]"),
        ('"p = model(X, W)"', '"p = model(X, Z)"', "graph.steps[0]"),
        ('"p = model(X, W)"', '"W = model(X, W)"', "graph.steps[0]"),
        ('"p = model(X, W)"', '"model(X, W)"', "graph.steps[0]"),
        ('"p = model(X, W)"', '"p = model(X, W=W)"', "graph.steps[0]"),
        ('"p = model(X, W)"', '"p = model(X, 3)"', "graph.steps[0]"),
        ('"p = model(X, W)"', '"p = __import__(X)"', "graph.steps[0]"),
        ('"p = model(X, W)"', '"p = model(X, W); q = model(X, W)"', "graph.steps[0]"),
        ('"loss = cost(p, y)"', '"loss = cost(p, "', "graph.steps[1]"),
        ("W = [2, 1]", "X = [2, 1]", "graph.data.X"),
        ("W = [2, 1]", "W = [0, 1]", "graph.leaves"),
        ("W = [2, 1]", "W = [2000, 1]", "graph.leaves"),
        ("W = [2, 1]", "W = 2", "graph.leaves"),
        ("labels", "lables", "graph"),
    ],
)
def test_what_is_wrong_is_named(place: Path, old: str, new: str, key: str) -> None:
    assert old in TOML
    with pytest.raises(AssignmentError) as caught:
        load(place, TOML.replace(old, new))
    assert caught.value.key.startswith(key)


MODULES = Composition(
    steps=("net = make()", "z = net(X)", "loss = cost(z, y)"),
    data={"X": (4, 2)},
    labels={"y": (4, 1)},
)
MADE = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(2, 3)
        self.outer = torch.nn.Linear(3, 1)

    def forward(self, x):
        return self.outer(torch.tanh(self.inner(x)))

def make():
    return Net()

def cost(z, y):
    return ((z - y) ** 2).mean()
"""


def made(bench: Bench, source: str) -> Story:
    def tape(text: str):  # type: ignore[no-untyped-def]
        submission = submitted(text)
        return record_steps(submission, bench.assignment, MODULES, bench.start, bench.level)

    return Story(tape(source), tape(MADE))


def test_a_modules_parameters_are_leaves_by_their_names(bench: Bench) -> None:
    story = made(bench, MADE)
    names = ("net.inner.weight", "net.inner.bias", "net.outer.weight", "net.outer.bias")
    assert story.history.reached == names
    assert story.whole
    # Calling another way, under other names, is as good.
    other = made(bench, MADE.replace("inner", "first"))
    assert other.whole


def test_a_cut_inside_a_module_is_found(bench: Bench) -> None:
    story = made(bench, MADE.replace("self.inner(x))", "self.inner(x).detach())"))
    (cut,) = story.cuts
    assert cut.leaves == ("net.inner.weight", "net.inner.bias")
    assert (cut.name, cut.spots[0].line) == ("detach", 11)


def test_a_module_that_is_to_be_compared_with_must_run(bench: Bench, tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("def forward(*args):\n    return 1 / 0\n")
    with pytest.raises(AssignmentError, match="ZeroDivisionError"):
        record_story(submitted(""), bench.assignment, broken, bench.start, bench.level)


def test_the_composition_does_not_hang_on_the_order_of_keys() -> None:
    assert msgspec.convert(
        {"labels": {"y": [1]}, "steps": ["l = f(y)"]}, Composition
    ).problem(["f"]) is None  # fmt: skip
