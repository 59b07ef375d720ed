"""What an assignment's functions make together: the steps whose tape is drawn.

In assignment.toml:

    [graph]
    steps = ["p = model(X, W)", "loss = cost(p, y)"]
    leaves = { W = [2, 3] }   # tensors that require grad, by shape
    data = { X = [4, 2] }     # drawn between 0 and 1
    labels = { y = [4, 3] }   # drawn from 0 and 1

The first step's result is called `p`, and later steps may take it, or call it where it is a
module: `model = make()`, then `p = model(X)`. The last result is what the tape is followed from.
A module's parameters are leaves without being named here.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import Annotated

import msgspec

Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=40)]
Length = Annotated[int, msgspec.Meta(ge=1, le=64)]
Shape = Annotated[tuple[Length, ...], msgspec.Meta(max_length=4)]


class Step(msgspec.Struct, frozen=True):
    """`gives = function(*args)`, names throughout."""

    gives: str
    function: str
    args: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.gives} = {self.function}({', '.join(self.args)})"


class Composition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table [graph]: steps as they are written, and the shapes of what they are fed."""

    steps: Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=20)]
    leaves: dict[Name, Shape] = {}
    data: dict[Name, Shape] = {}
    labels: dict[Name, Shape] = {}

    @property
    def calls(self) -> tuple[Step, ...]:
        """The steps, taken apart. Raises ValueError for one that is no `name = function(names)`."""
        return tuple(_step(text) for text in self.steps)

    @property
    def result(self) -> str:
        """What the last step's result is called."""
        return self.calls[-1].gives

    def problem(self, functions: Collection[str]) -> tuple[str, str] | None:
        """The key in the table that is wrong, and why; None where all is right.

        `functions` are those that a step may call.
        """
        known: set[str] = set()
        made: set[str] = set()
        for key in ("leaves", "data", "labels"):
            for name in getattr(self, key):
                if name in known:
                    return f"{key}.{name}", "stands there twice"
                known.add(name)
        for number, text in enumerate(self.steps):
            key = f"steps[{number}]"
            try:
                step = _step(text)
            except ValueError as error:
                return key, str(error)
            if step.function not in functions and step.function not in made:
                return key, f"{step.function} is neither an exercise nor an earlier result"
            for name in step.args:
                if name not in known:
                    return key, f"{name} is neither given nor what an earlier step gives"
            if step.gives in known:
                return key, f"{step.gives} stands for something already"
            known.add(step.gives)
            made.add(step.gives)
        return None


def _step(text: str) -> Step:
    why = f"{text!r} is not of the form name = function(name, ...)"
    try:
        tree = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(why) from None
    match tree:
        case [ast.Assign([ast.Name(gives)], ast.Call(ast.Name(function), args, []))]:
            names = tuple(arg.id for arg in args if isinstance(arg, ast.Name))
            if len(names) == len(args):
                return Step(gives, function, names)
    raise ValueError(why)
