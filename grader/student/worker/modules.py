"""Objects that stay in the worker: handles to them, and what the trusted side does with them.

A module, an optimizer, a loss function crosses the wire as a handle, named after the call that
gave it: so the same questions name the same handles in every worker. Requests for a function with
a dot in its name are answered by the table below; students' names have none.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import torch
from torch import nn
from torch.nn.parameter import is_lazy

from . import messages as m
from . import module_records as r
from .tracing import OperationRecorder
from .values import Describe, describe, plain_tensor, type_name
from .watching import Sequential, Watch, watching_steps
from .wire import CannotDecode

MOST_KEPT = 1_000  # objects; the oldest are let go
MOST_PARAMETERS = 200
MOST_NUMBERS = 1_000_000  # in the parameters of one module
MOST_LAYERS = 200
# What a check may build a model of.
LAYERS: dict[str, Callable[..., nn.Module]] = {
    "Linear": nn.Linear,
    "ReLU": nn.ReLU,
    "Sigmoid": nn.Sigmoid,
    "Tanh": nn.Tanh,
    "Identity": nn.Identity,
    "Flatten": nn.Flatten,
    "Dropout": nn.Dropout,
}
METHODS = frozenset({"train", "eval", "zero_grad", "step"})
OPTIMIZERS = frozenset({"SGD", "Adam"})


class LostHandle(Exception):
    """A handle to an object that is not here (any more)."""


class Handles:
    """The objects behind the handles of one worker, and how to work with them."""

    def __init__(self, files: Collection[str]) -> None:
        self._files = files
        self._objects: OrderedDict[str, Any] = OrderedDict()
        self.operations: dict[str, Callable[..., Any]] = {
            "handle.call": _call,
            "handle.method": _method,
            "module.look": _look,
            "module.set": set_parameters,
            "module.with_parameters": _with_parameters,
            "module.sequential": self._sequential,
            "optimizer.make": _optimizer,
        }

    def find(self, handle: str) -> Any:
        """The object behind a handle. Raises LostHandle."""
        try:
            return self._objects[handle]
        except KeyError:
            raise LostHandle(f"nothing is kept under {handle[:100]!r}") from None

    def keeper(self, call: str) -> Describe:
        """What gives handles to the objects that this call returns."""
        count = 0

        def keep(thing: Any) -> m.Value:
            nonlocal count
            if not (isinstance(thing, (nn.Module, torch.optim.Optimizer)) or callable(thing)):
                return describe(thing)
            name = f"{call}:{count}"
            count += 1
            self._objects[name] = thing
            self._objects.move_to_end(name)
            while len(self._objects) > MOST_KEPT:
                self._objects.popitem(last=False)
            return m.HandleValue(name, type_name(thing))

        return keep

    def _sequential(
        self, layers: Sequence[tuple[Any, ...]], parameters: Sequence[torch.Tensor], steps: bool
    ) -> nn.Sequential:
        """A model of a check's own, watched; with `steps`, its gradients and steps are as well."""
        module = Sequential(*(LAYERS[name](*sizes) for name, *sizes in layers))
        set_parameters(module, parameters)
        module.watch = Watch(module, self._files, steps)
        return module


def watch_of(module: nn.Module) -> Watch | None:
    """What watches a module that a check made."""
    return module.watch if isinstance(module, Sequential) else None


def set_parameters(module: nn.Module, values: Sequence[torch.Tensor]) -> None:
    """Copy the values into the module's parameters, in their order; no gradient is left.

    Raises ValueError where their number or a shape is another.
    """
    parameters = [p for _, p in nn.Module.named_parameters(module)]
    if [p.shape for p in parameters] != [value.shape for value in values]:
        raise ValueError("the parameters have other shapes")
    with torch.no_grad():
        for p, value in zip(parameters, values, strict=True):
            p.copy_(value)
            p.grad = None


def _call(thing: Any, *args: Any) -> Any:
    return thing(*args)


def _method(thing: Any, name: str, *args: Any) -> None:
    if name not in METHODS:
        raise ValueError(f"no method {name!r}")
    getattr(thing, name)(*args)


def _look(module: Any) -> None:
    """Nothing: an answer tells of every module that took part."""


def _with_parameters(
    module: nn.Module, names: Sequence[str], values: Sequence[torch.Tensor], *args: Any
) -> Any:
    """The module's result with other tensors in the place of its parameters."""
    given = dict(zip(names, values, strict=True))
    return torch.func.functional_call(module, given, args)


def _optimizer(name: str, module: nn.Module, lr: float) -> torch.optim.Optimizer:
    if name not in OPTIMIZERS:
        raise ValueError(f"no optimizer {name!r}")
    made: torch.optim.Optimizer = getattr(torch.optim, name)(module.parameters(), lr=lr)
    return made


class Attendance:
    """The modules that take part in one call, as they were before it and are after it."""

    def __init__(self, handles: Handles) -> None:
        self._handles = handles
        self._given: dict[str, nn.Module] = {}
        self._before: dict[str, tuple[list[m.TensorValue], bool]] = {}
        self.tracer: OperationRecorder | None = None

    def find(self, handle: str) -> Any:
        """The object behind a handle among the arguments. Raises LostHandle."""
        thing = self._handles.find(handle)
        if isinstance(thing, nn.Module):
            self._given[handle] = thing
        return thing

    @contextlib.contextmanager
    def attended(self) -> Iterator[None]:
        """Note how they are before the body, and watch those that are to be watched in it."""
        if not self._given:
            yield
            return
        for handle, module in self._given.items():
            self._before[handle] = parameter_values(module)[1], bool(module.training)
        watches = [w for w in map(watch_of, self._given.values()) if w is not None]
        for watch in watches:
            watch.begin(self.tracer)
        with watching_steps([watch for watch in watches if watch.steps]):
            yield

    def facts(self, returned: m.Value) -> bytes:
        """What is to be told of them, and of the modules in what was returned."""
        wanted: dict[str, Any] = dict(self._given)
        for handle in r.handles_in(returned):
            with contextlib.suppress(LostHandle):
                wanted.setdefault(handle, self._handles.find(handle))
        told = []
        for handle, module in wanted.items():
            if isinstance(module, nn.Module):
                # A module that cannot be looked at has no facts: whoever wants them says so.
                with contextlib.suppress(Exception):
                    told.append(self._facts(handle, module))
        return r.encode_modules(told)

    def _facts(self, handle: str, module: nn.Module) -> r.ModuleFacts:
        names, after = parameter_values(module)
        before, training_before = self._before.get(handle, ([], bool(module.training)))
        watch = watch_of(module)
        inside = list(nn.Module.named_modules(module))[:MOST_LAYERS]
        return r.ModuleFacts(
            handle=handle,
            layers=[(name[:200], type_name(layer)) for name, layer in inside],
            names=names,
            before=before,
            after=after,
            training_before=training_before,
            training=bool(module.training),
            events=[] if watch is None or handle not in self._given else watch.events,
        )


def parameter_values(module: nn.Module) -> tuple[list[str], list[m.TensorValue]]:
    """Names and values of a module's parameters, as far as they can be told."""
    names: list[str] = []
    values: list[m.TensorValue] = []
    storages: dict[int, int] = {}
    left = MOST_NUMBERS
    for name, found in list(nn.Module.named_parameters(module))[:MOST_PARAMETERS]:
        # One that gets its shape at the first call holds nothing yet.
        parameter = torch.empty(0) if is_lazy(found) else found
        left -= parameter.numel()
        if left < 0:
            break
        with contextlib.suppress(CannotDecode):
            plain = plain_tensor(parameter)
            grad = parameter.grad if parameter.is_leaf else None
            number = storages.setdefault(parameter.untyped_storage().data_ptr(), len(storages))
            values.append(
                m.TensorValue(
                    plain.dtype,
                    plain.shape,
                    plain.data,
                    parameter.requires_grad,
                    parameter.is_leaf,
                    None if grad is None else plain_tensor(grad),
                    number,
                )
            )
            names.append(name[:200])
    return names, values
