"""Plain records of modules that took part in a call, on the trusted side.

As with `observation`: what can be checked is checked as it arrives; what a worker merely asserts
(a line, whether autograd recorded) is evidence.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from grader.observation import Argument
from grader.student.answers import equal
from grader.student.worker import messages as m
from grader.student.worker.module_records import (
    Arrival,
    Event,
    ModuleFacts,
    OptimizerStep,
    Pass,
    decode_modules,
)
from grader.student.worker.wire import CannotDecode, tensor_from

__all__ = ["Arrival", "Event", "Layer", "ModuleSeen", "OptimizerStep", "Pass", "modules_of"]


@dataclass(frozen=True)
class Layer:
    """One module inside of another, by its name there ("" for the outermost) and its type."""

    name: str
    type_name: str

    @property
    def kind(self) -> str:
        """The type's own name: `Linear`."""
        return self.type_name.rpartition(".")[2]


@dataclass(frozen=True)
class ModuleSeen:
    """A module before and after a call, parameter by parameter, in the order of its own.

    `given` is False for one that the call itself gave: there before and after are the same.
    `tracked_before` says which parameters required grad. `storages` are equal where memory is.
    `events` is what a watched module told of the call.
    """

    handle: str
    layers: tuple[Layer, ...]
    names: tuple[str, ...]
    parameters: tuple[Argument, ...]
    given: bool = True
    tracked_before: tuple[bool, ...] = ()
    storages: tuple[int, ...] = ()
    training_before: bool = True
    training: bool = True
    events: tuple[Event, ...] = ()

    @property
    def type_name(self) -> str:
        return self.layers[0].type_name if self.layers else ""

    @property
    def moved(self) -> tuple[str, ...]:
        """Names of the parameters that hold other values after the call."""
        return tuple(name for name, p in zip(self.names, self.parameters, strict=True) if p.changed)

    @property
    def untracked(self) -> tuple[str, ...]:
        """Names of those that required grad before the call and do not after it."""
        return tuple(
            name
            for name, p, before in zip(
                self.names, self.parameters, self.tracked_before, strict=True
            )
            if before and not p.requires_grad
        )

    @property
    def before(self) -> list[torch.Tensor]:
        """The parameters' values before the call."""
        return [p.before for p in self.parameters]

    @property
    def after(self) -> list[torch.Tensor]:
        """The parameters' values after the call."""
        return [p.after for p in self.parameters]

    @property
    def passes(self) -> list[Pass]:
        """The calls of a watched module, in order."""
        return [event for event in self.events if isinstance(event, Pass)]


def modules_of(data: bytes) -> tuple[ModuleSeen, ...]:
    """What an answer tells of modules. Raises CannotDecode for what contradicts itself."""
    return tuple(map(_seen, decode_modules(data)))


def _seen(facts: ModuleFacts) -> ModuleSeen:
    count = len(facts.after)
    if len(facts.names) != count or len(facts.before) not in (0, count):
        raise CannotDecode("a module with other numbers of names and of parameters")
    given = bool(facts.before) or count == 0
    parameters = [
        _parameter(before, after)
        for before, after in zip(facts.before or facts.after, facts.after, strict=True)
    ]
    return ModuleSeen(
        handle=facts.handle,
        layers=tuple(Layer(name[:200], kind[:200]) for name, kind in facts.layers),
        names=tuple(name[:200] for name in facts.names),
        parameters=tuple(parameters),
        given=given,
        tracked_before=tuple(v.requires_grad for v in facts.before or facts.after),
        storages=tuple(v.storage for v in facts.after),
        training_before=facts.training_before,
        training=facts.training,
        events=tuple(facts.events),
    )


def _parameter(before: m.TensorValue, after: m.TensorValue) -> Argument:
    old, new = _tensor(before), _tensor(after)
    # By the values, not by the worker's word.
    return Argument(old, new, not equal(old, new), after.requires_grad, after.is_leaf, False)


def _tensor(value: m.TensorValue) -> torch.Tensor:
    tensor = tensor_from(value)
    if value.grad is not None:
        grad = tensor_from(value.grad)
        if grad.shape == tensor.shape and grad.dtype == tensor.dtype:
            tensor.grad = grad
    return tensor
