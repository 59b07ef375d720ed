"""Handles: modules, optimizers and functions that stay in the worker and are passed around.

A check calls one on tensors, gives it to another of the student's functions, looks into it and
sets its parameters; it may also have a model of its own made in the worker, of known layers with
known weights, so that a function that takes a model is judged on a right one. Nothing of a
handle's object ever comes here but the values that it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from grader.errors import GraderFailed, HandleLost, StudentError
from grader.observation import Observation, Opaque
from grader.observed_modules import ModuleSeen
from grader.student.worker import messages as m
from grader.student.worker.module_records import handles_in
from grader.student.worker.modules import LAYERS, set_parameters
from grader.student.worker.values import describe
from grader.student.worker.wire import CannotDecode

if TYPE_CHECKING:
    from grader.student.proxy import Student

CALL = "handle.call"
METHOD = "handle.method"
LOOK = "module.look"
SET = "module.set"
WITH_PARAMETERS = "module.with_parameters"
SEQUENTIAL = "module.sequential"
OPTIMIZER = "optimizer.make"
ELSEWHERE = "elsewhere:"

Spec = Sequence[tuple[Any, ...]]  # ("Linear", 2, 5), ("ReLU",): a layer's type and its sizes


@dataclass(frozen=True, eq=False)
class Blueprint:
    """What a check's own model is made of: layers by type and sizes, and the parameters' values."""

    layers: tuple[tuple[Any, ...], ...]
    parameters: tuple[torch.Tensor, ...]

    def build(self, values: Sequence[torch.Tensor] | None = None) -> nn.Sequential:
        """The same model here, with these values in its parameters, or with its first ones."""
        module = nn.Sequential(*(LAYERS[name](*sizes) for name, *sizes in self.layers))
        set_parameters(module, self.parameters if values is None else values)
        return module


@dataclass(frozen=True, eq=False)
class Handle(Opaque):
    """An object in the worker. It is lost with its worker: then using it raises HandleLost.

    `origin` is the function that gave it, for the arguments `given`; `blueprint` is what a check's
    own model is made of.
    """

    id: str = ""
    origin: str = ""
    given: tuple[Any, ...] = field(default=(), repr=False)
    student: Student | None = field(default=None, repr=False)
    blueprint: Blueprint | None = field(default=None, repr=False)

    def __call__(self, *args: Any) -> Any:
        """What it returns for these arguments; gradients flow back to tensors among them.

        Raises StudentError.
        """
        return self.observed(*args).returned

    def observed(self, *args: Any) -> Observation:
        """The record of calling it. Raises StudentError."""
        return self._run(CALL, self, *args)

    def with_parameters(self, values: Mapping[str, torch.Tensor], *args: Any) -> Any:
        """What a module returns with these tensors as its parameters; gradients flow to them.

        Raises StudentError.
        """
        return self._run(WITH_PARAMETERS, self, list(values), list(values.values()), *args).returned

    def seen(self) -> ModuleSeen:
        """A module as it is now. Raises StudentError, also for what is no module."""
        record = self._run(LOOK, self)
        found = record.module(self)
        if found is None:
            raise StudentError(_garbled(record, "nothing was told of a module"))
        return found

    def parameters(self) -> dict[str, torch.Tensor]:
        """Name and value of each parameter now. Raises StudentError."""
        found = self.seen()
        return dict(zip(found.names, found.after, strict=True))

    def set_parameters(self, values: Sequence[torch.Tensor]) -> None:
        """Copy values into the parameters, in their order, and drop their gradients.

        Raises StudentError where the shapes are others.
        """
        self._run(SET, self, [value.detach() for value in values])

    def do(self, method: str, *args: Any) -> None:
        """`train`, `eval`, `zero_grad` or `step`, whichever it has. Raises StudentError."""
        self._run(METHOD, self, method, *args)

    def _run(self, operation: str, *args: Any) -> Observation:
        if self.student is None:
            raise GraderFailed("a handle without a submission is used")
        record = self.student.run(operation, args)
        if record.raised is not None:
            raise error_of(record)
        return record

    def __deepcopy__(self, memo: dict[int, Any]) -> Handle:
        return self  # it only names an object


def sequential(
    student: Student, layers: Spec, parameters: Sequence[torch.Tensor], *, steps: bool = False
) -> Handle:
    """A model of the check's own in the worker: `nn.Sequential` of these layers and parameters.

    It is watched: the record of a call that gets it tells each use of it; with `steps` each
    gradient and optimizer step too, which is for explaining, and slow. Raises StudentError where
    the worker cannot make it.
    """
    values = [value.detach() for value in parameters]
    record = student.run(SEQUENTIAL, [[tuple(layer) for layer in layers], values, steps])
    if record.raised is not None:
        raise error_of(record)
    made = record.returned
    if not isinstance(made, Handle):
        raise StudentError(_garbled(record, "no object came back where one was made"))
    return made


def optimizer(student: Student, name: str, module: Handle, lr: float) -> Handle:
    """An optimizer of the check's own, SGD or Adam, over a module's parameters.

    Raises StudentError.
    """
    record = student.run(OPTIMIZER, [name, module, lr])
    if record.raised is not None:
        raise error_of(record)
    if not isinstance(record.returned, Handle):
        raise StudentError(_garbled(record, "no object came back where one was made"))
    return record.returned


def error_of(record: Observation) -> StudentError:
    """The error to raise for a call that raised."""
    lost = record.raised is not None and record.raised.type == "HandleLost"
    return HandleLost(record) if lost else StudentError(record)


def _garbled(record: Observation, text: str) -> Observation:
    why = m.Raised("Garbled", [], text, [])
    return Observation(record.id, record.function, record.args, record.kwargs, raised=why)


class Book:
    """The handles of one running submission, by id."""

    def __init__(self, student: Student) -> None:
        self._student = student
        self._known: dict[str, Handle] = {}

    def pack(self, thing: Any) -> m.Value:
        """A handle among arguments, as it crosses the wire; the name of anything else's type."""
        if not isinstance(thing, Handle):
            return describe(thing)
        # Another worker's object is none of this one's, though it may have the same name there.
        place = "" if thing.student is self._student else ELSEWHERE
        return m.HandleValue(place + thing.id, thing.type_name)

    def given(self, thing: Any) -> Any:
        """Arguments read from the wire, with handles in the place of their values."""
        if isinstance(thing, m.HandleValue):
            return self._known.get(thing.id) or Handle(
                thing.type_name, id=thing.id, student=self._student
            )
        if isinstance(thing, list | tuple):
            return type(thing)(map(self.given, thing))
        return thing

    def returned(self, thing: Any, request: m.Call, args: Sequence[Any]) -> Any:
        """What a call gave, with handles in the place of their values. Raises CannotDecode."""
        if isinstance(thing, m.HandleValue):
            if thing.id.rpartition(":")[0] != request.id:
                raise CannotDecode("a handle to an object that this call did not give")
            blueprint = None
            if request.function == SEQUENTIAL:
                layers, values = args[:2]
                blueprint = Blueprint(tuple(layers), tuple(v.detach().clone() for v in values))
            handle = Handle(
                thing.type_name[:200],
                "",
                thing.id,
                request.function,
                tuple(args),
                self._student,
                blueprint,
            )
            self._known[thing.id] = handle
            return handle
        if isinstance(thing, list | tuple):
            return type(thing)(self.returned(item, request, args) for item in thing)
        return thing


def calls_behind(request: m.Call) -> set[str]:
    """Ids of the calls that gave the objects among a request's arguments."""
    values = [*request.args, *request.kwargs.values()]
    return {handle.rpartition(":")[0] for value in values for handle in handles_in(value)}
