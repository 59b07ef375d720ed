"""Arguments with a history: a check says how they are computed, and the worker computes them.

Tensors cross the wire as values, without their graph. So where a function is to look at a graph,
its argument is computed anew inside the worker, upon leaves of its own:

    a = leaf("a", torch.tensor([1.0, 2.0]))
    d = computed("add", a, computed("mean", computed("mul", a, 2.0)))
    record = student.observe.inspect(d)

The same is computed on the trusted side: `d.tensor` hangs on `a.tensor`.
"""

from __future__ import annotations

from typing import Any

import torch

from grader.student.worker import messages as m
from grader.student.worker.computing import compute
from grader.student.worker.given_records import Computation
from grader.student.worker.values import Packer, Unpacker


class Computed:
    """A leaf, or what an operation of the worker's table makes of others and of plain numbers."""

    def __init__(
        self, operation: str, inputs: tuple[Computed, ...], numbers: tuple[int | float, ...],
        tensor: torch.Tensor, name: str = "",
    ) -> None:  # fmt: skip
        self.operation = operation
        self.inputs = inputs
        self.numbers = numbers
        self.tensor = tensor
        self.name = name

    @property
    def leaves(self) -> list[Computed]:
        """The leaves that it is computed from, each once, in the order in which they are met."""
        return [one for one in self.history() if not one.operation]

    def history(self) -> list[Computed]:
        """All that it is computed from, inputs before what is made of them, itself last."""
        found: dict[int, Computed] = {}

        def visit(one: Computed) -> None:
            for inner in one.inputs:
                visit(inner)
            found.setdefault(id(one), one)

        visit(self)
        return list(found.values())

    def code(self, name: str) -> list[str]:
        """Python that computes it, one line an operation, the last one into `name`."""
        names: dict[int, str] = {}
        lines = []
        for number, one in enumerate(self.history()):
            own = name if one is self else one.name or f"t{number}"
            names[id(one)] = own
            if not one.operation:
                values = one.tensor.detach().tolist()
                lines.append(f"{own} = torch.tensor({values}, requires_grad=True)")
                continue
            given = [names[id(inner)] for inner in one.inputs] + [repr(n) for n in one.numbers]
            lines.append(f"{own} = torch.{one.operation}({', '.join(given)})")
        return lines


def leaf(name: str, values: torch.Tensor) -> Computed:
    """A leaf that requires grad, called `name` in messages."""
    return Computed("", (), (), values.detach().clone().requires_grad_(), name)


def computed(operation: str, *inputs: Computed | int | float) -> Computed:
    """What the operation (a name in the worker's table) makes of its inputs, numbers last."""
    tensors = tuple(one for one in inputs if isinstance(one, Computed))
    numbers = tuple(one for one in inputs if not isinstance(one, Computed))
    made = compute(operation, [one.tensor for one in tensors], numbers)
    return Computed(operation, tensors, numbers, made)


class ArgumentPacker(Packer):
    """Packs arguments, computed ones too."""

    def argument(self, thing: Any) -> m.Argument:
        """The value of one argument. Raises CannotDecode."""
        return self._computed(thing) if isinstance(thing, Computed) else self.pack(thing)

    def _computed(self, thing: Computed) -> m.ComputedValue:
        history = thing.history()
        leaves = [one for one in history if not one.operation]
        steps = [one for one in history if one.operation]
        numbers = {id(one): number for number, one in enumerate([*leaves, *steps])}
        values = [
            value for one in leaves if isinstance(value := self.pack(one.tensor), m.TensorValue)
        ]
        computations = [
            Computation(one.operation, [numbers[id(i)] for i in one.inputs], list(one.numbers))
            for one in steps
        ]
        # As the worker counts: leaves, then the argument itself.
        self.tensors.append(thing.tensor)
        return m.ComputedValue([one.name for one in leaves], values, computations)


class ArgumentUnpacker(Unpacker):
    """Turns packed arguments back into what a check passed."""

    def argument(self, value: m.Argument) -> Any:
        """One argument as it was given. Raises CannotDecode."""
        if not isinstance(value, m.ComputedValue):
            return self.unpack(value)
        pairs = zip(value.names, value.leaves, strict=True)
        made = [leaf(name, self.unpack(one)) for name, one in pairs]
        self.tensors[-len(made) :] = [one.tensor for one in made]
        for step in value.computations:
            made.append(computed(step.operation, *(made[n] for n in step.tensors), *step.numbers))
        self.tensors.append(made[-1].tensor)
        return made[-1]
