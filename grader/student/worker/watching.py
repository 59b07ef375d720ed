"""A module of a check's own tells what is done with it: calls, gradients, optimizer steps."""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_pre_hook

from . import messages as m
from . import module_records as r
from .capture import describe_local
from .tracing import MAX_EVENTS, OperationRecorder
from .values import plain_tensor, type_name
from .wire import CannotDecode

MOST_EVENTS = 1_000  # calls, gradients and steps
MOST_VALUES = 1_000  # numbers of an input that is told
MOST_FRAMES = 60
_OPTIONS = ("momentum", "weight_decay", "dampening", "nesterov", "maximize")


class Watch:
    """Notes the calls of one module, made on itself or on a copy; with `steps`, far more."""

    def __init__(self, module: nn.Module, files: Collection[str], steps: bool) -> None:
        self.module = module
        self.steps = steps
        self.events: list[r.Event] = []
        self._files = files
        self._tracer: OperationRecorder | None = None
        self._parameters = [p for _, p in nn.Module.named_parameters(module)]
        if steps:
            for place, parameter in enumerate(self._parameters):
                self._follow(place, parameter)

    def __deepcopy__(self, memo: dict[int, Any]) -> Watch:
        return self  # a copy of the module tells it here, too

    def begin(self, tracer: OperationRecorder | None = None) -> None:
        """Forget what was noted. To the tracer a call of the module is one operation, `model`."""
        self.events = []
        self._tracer = tracer

    def _note(self, event: r.Event) -> None:
        if len(self.events) < MOST_EVENTS:
            self.events.append(event)

    def called(self, module: nn.Module, x: Any, compute: Callable[[Any], Any]) -> Any:
        """What `compute(x)` gives; the module, or a copy of it, was called with x."""
        began = self._began(module, x if isinstance(x, torch.Tensor) else None)
        place = len(self.events)
        self._note(began)  # first, in case it raises
        if self._tracer is not None:
            self._tracer.paused += 1
        try:
            output = compute(x)
        finally:
            if self._tracer is not None:
                self._tracer.paused -= 1
        if isinstance(output, torch.Tensor) and output.requires_grad and place < len(self.events):
            self.events[place] = r.Pass(
                began.shape, began.dtype, began.grad_mode, True, began.own, began.filename,
                began.line, began.values, began.parameters,
            )  # fmt: skip
        self._tell_tracer(began, x, output)
        return output

    def _began(self, module: nn.Module, x: torch.Tensor | None) -> r.Pass:
        filename, line = self._line()
        values = None
        parameters = []
        with contextlib.suppress(CannotDecode):
            if self.steps and x is not None and x.numel() <= MOST_VALUES:
                values = plain_tensor(x)
            if self.steps:
                parameters = [plain_tensor(p) for p in self._parameters]
        return r.Pass(
            shape=tuple(x.shape) if x is not None else (),
            dtype="" if x is None else str(x.dtype).removeprefix("torch."),
            grad_mode=torch.is_grad_enabled(),
            tracked=False,
            own=module is self.module,
            filename=filename,
            line=line,
            values=values,
            parameters=parameters,
        )

    def _tell_tracer(self, began: r.Pass, x: Any, output: Any) -> None:
        tracer = self._tracer
        if tracer is None or not began.filename or len(tracer.events) >= MAX_EVENTS:
            return
        given = [describe_local("", x)] if isinstance(x, torch.Tensor) else []
        gave = [describe_local("", output)] if isinstance(output, torch.Tensor) else []
        tracer.events.append(
            m.Operation(began.filename, began.line, "", "model", given, gave, began.grad_mode)
        )

    def _follow(self, place: int, parameter: nn.Parameter) -> None:
        came: list[torch.Tensor] = []

        def coming(grad: torch.Tensor) -> None:
            came[:] = [grad.detach().clone()]

        def arrived(parameter: torch.Tensor) -> None:
            if came and parameter.grad is not None:
                with contextlib.suppress(CannotDecode):
                    total = plain_tensor(parameter.grad)
                    self._note(r.Arrival(place, plain_tensor(came.pop()), total))

        parameter.register_hook(coming)  # type: ignore[no-untyped-call]
        parameter.register_post_accumulate_grad_hook(arrived)  # type: ignore[no-untyped-call]

    def step_begins(self, optimizer: torch.optim.Optimizer) -> None:
        """Note a step of an optimizer, whichever parameters it holds."""
        held = [p for group in optimizer.param_groups for p in group["params"]]
        own = [p for p in held if any(p is known for known in self._parameters)]
        slopes = [p for p in own if p.grad is not None and bool((p.grad != 0).any())]
        first = optimizer.param_groups[0] if optimizer.param_groups else {}
        options = {name: float(first[name]) for name in _OPTIONS if first.get(name)}
        filename, line = self._line()
        self._note(
            r.OptimizerStep(
                kind=type_name(optimizer).rpartition(".")[2],
                own=len(own),
                slopes=len(slopes),
                others=len(held) - len(own),
                lr=float(first.get("lr", 0.0)),
                options=options,
                filename=filename,
                line=line,
            )
        )

    def _line(self) -> tuple[str, int]:
        """The student's line that asked for it."""
        frame: types.FrameType | None = sys._getframe(1)
        for _ in range(MOST_FRAMES):
            if frame is None:
                break
            if frame.f_code.co_filename in self._files:
                return frame.f_code.co_filename, frame.f_lineno
            frame = frame.f_back
        return "", 0


class Sequential(nn.Sequential):
    """`nn.Sequential`, watched: however it is called, and copies of it as well."""

    watch: Watch | None = None

    def forward(self, input: Any) -> Any:  # noqa: A002 - as its parent calls it
        if self.watch is None:  # a slice of a model
            return super().forward(input)  # type: ignore[no-untyped-call]
        return self.watch.called(self, input, super().forward)


@contextlib.contextmanager
def watching_steps(watches: Sequence[Watch]) -> Iterator[None]:
    """Tell the watches of every optimizer step in the body."""
    if not watches:
        yield
        return

    def begins(optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> None:
        for watch in watches:
            watch.step_begins(optimizer)

    registered = register_optimizer_step_pre_hook(begins)
    try:
        yield
    finally:
        registered.remove()
