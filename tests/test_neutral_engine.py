"""The engine knows no assignment: what is about one stands in its own folder.

The rule
- The name of an assignment, and the word xor, stand nowhere under grader/.
- The name of an exercise stands nowhere either, in code, in text or in a comment, except where it
  is PyTorch's own name for something: behind `torch.`, `F.` or `nn.`, or where OF_TORCH says so.
- Names that are plain English as well (`update`, `fresh`) may be used as such. They may not be the
  whole of a text, which is how code speaks of an exercise, except where PLAIN says so.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENGINE = ROOT / "grader"
TEXTS = {".py", ".toml", ".json", ".md", ".txt", ".html", ".j2", ".css", ".js", ".template", ".sh"}

# (file, name): what it is there.
OF_TORCH = {
    ("authoring/mutation/graph.py", "relu"): "operators that have an in-place form",
    ("authoring/new/templates/public/assignment.toml.template", "relu"): "operators to be banned",
    ("misconceptions/diagnosis.py", "cross_entropy"): "the function above a kernel",
    ("student/worker/banned.py", "sgd"): "torch.optim.sgd, the module, and its function",
    ("student/worker/computing.py", "relu"): "operators that the wire has names for",
    ("student/worker/warmup.py", "relu"): "an operator that is banned once, to warm up",
}
# Public, and so not to be renamed: a rule other than torch.optim.SGD's plain one.
SLUG = "not-plain-sgd"
PLAIN = {
    ("misconceptions/module_moves.py", "fresh"): "a key of evidence",
}
ENGLISH = {"accumulated", "accuracy", "affine", "forward", "fresh", "predict", "train", "update"}


def names() -> tuple[set[str], set[str]]:
    """(assignments, exercises) by name, of all that lie in assignments/."""
    tomls = sorted((ROOT / "assignments").glob("*/assignment.toml"))
    exercises = {
        exercise["name"]
        for toml in tomls
        for exercise in tomllib.loads(toml.read_text(encoding="utf-8"))["exercise"]
    }
    return {toml.parent.name for toml in tomls}, exercises


def engine() -> dict[str, str]:
    """The text of every file of the engine, by its path below grader/."""
    files = (path for path in ENGINE.rglob("*") if path.suffix in TEXTS or path.suffix == "")
    return {
        path.relative_to(ENGINE).as_posix(): path.read_text(encoding="utf-8")
        for path in files
        if path.is_file()
    }


def mentioned(files: dict[str, str], words: set[str]) -> Iterator[tuple[str, str, str]]:
    """(file, word, line) wherever one of the words stands as a word, not as PyTorch's."""
    pattern = re.compile(rf"(?<!torch\.)(?<!\bF\.)(?<!\bnn\.)\b({'|'.join(sorted(words))})\b")
    for name, text in files.items():
        for number, line in enumerate(text.splitlines(), 1):
            for found in pattern.finditer(line.replace(SLUG, "")):
                yield name, found[1], f"{name}:{number}: {line.strip()}"


def literals(files: dict[str, str], words: set[str]) -> Iterator[tuple[str, str, str]]:
    """(file, word, line) wherever one of the words is the whole of a text in Python source."""
    for name, text in files.items():
        if name.endswith(".py"):
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Constant) and node.value in words:
                    yield name, str(node.value), f"{name}:{node.lineno}: {node.value!r}"


def test_no_assignment_is_mentioned() -> None:
    assignments, _ = names()
    assert len(assignments) >= 3
    words = assignments | {"xor", "XOR"}
    assert [line for *_, line in mentioned(engine(), words)] == []


def test_no_exercise_is_mentioned_but_where_pytorch_calls_something_so() -> None:
    _, exercises = names()
    assert len(exercises) > 20
    found = list(mentioned(engine(), exercises - ENGLISH))
    assert [line for file, word, line in found if (file, word) not in OF_TORCH] == []
    # What is excused is there.
    assert {(file, word) for file, word, _ in found} == OF_TORCH.keys()


def test_plain_words_are_no_names_of_exercises() -> None:
    _, exercises = names()
    assert exercises >= ENGLISH
    # "update" is a kind of exercise, too; the others are methods of every nn.Module.
    found = list(literals(engine(), ENGLISH - {"update", "forward", "train"}))
    assert [line for file, word, line in found if (file, word) not in PLAIN] == []
    assert {(file, word) for file, word, _ in found} == PLAIN.keys()


@pytest.mark.parametrize(
    ("line", "noticed"),
    [
        ('if name == "relu":', True),
        ("# as in cross_entropy", True),
        ("student.relu(x)", True),
        ("x = torch.relu(x) + F.relu(x)", False),
        ("nn.functional.relu_(x)", False),
        ("nn.ReLU()", False),
    ],
)
def test_what_the_rule_notices(line: str, noticed: bool) -> None:
    assert bool(list(mentioned({"a.py": line}, {"relu", "cross_entropy"}))) == noticed
    assert list(literals({"a.py": 'f("train"); train()'}, {"train"})) == [
        ("a.py", "train", "a.py:1: 'train'")
    ]
