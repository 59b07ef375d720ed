"""Call one function of the submission and record what happened."""

from __future__ import annotations

import contextlib
import random
import sys
import time
import types
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import torch

from . import messages as m
from .banned import BanRecorder, Refusals
from .belonging import Belongings
from .capture import Output, alarm, describe_exception
from .graph import reached_leaves, recorded_graph
from .loading import Alarm
from .modules import Attendance, Handles, LostHandle
from .tape import TapeRecorder, name_tensors, run_steps
from .tracing import OperationRecorder
from .values import Packer, Unpacker, plain_tensor, type_name
from .wire import CannotDecode

KEPT_CALLS = 400  # calls whose graphs are kept for a backward to come


@dataclass
class _Kept:
    outputs: list[torch.Tensor]
    leaves: list[torch.Tensor]


class Caller:
    """Answers calls on one loaded module."""

    def __init__(
        self,
        module: types.ModuleType,
        files: set[str],
        output_limit: int,
        alarm: Alarm = alarm,
        capture: bool = True,
    ) -> None:
        self._capture = capture
        self._alarm = alarm
        self._module = module
        self._files = files
        self._output_left = output_limit
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._refusals = Refusals()
        self._handles = Handles(files)

    def call(self, request: m.Call) -> m.Answer:
        """The answer to one call. Raises CannotDecode for arguments that are none."""
        started = time.perf_counter()
        # To compute an argument may take what is refused.
        computed = any(isinstance(value, m.ComputedValue) for value in request.args)
        if computed or not self._refusals.are_of(request.banned):
            self._refusals.lift()
        earlier = self._kept.get(request.again)
        reuse = earlier.leaves if earlier else []
        modules = Attendance(self._handles)
        unpacker = Unpacker(modules.find, reuse)
        try:
            args = [unpacker.unpack(value) for value in request.args]
            kwargs = {name: unpacker.unpack(value) for name, value in request.kwargs.items()}
        except LostHandle as error:
            return m.Answer(request.id, raised=m.Raised("HandleLost", [], str(error), []))
        before = [
            _Before(tensor, leaf)
            for tensor, leaf in zip(unpacker.tensors, unpacker.leaves, strict=True)
        ]
        belongings = Belongings(unpacker.tensors, unpacker.arrays)
        slots = _slots(args, unpacker.tensors)
        output = Output(min(self._output_left, 1_000_000))
        recorder = BanRecorder(self._files)
        tracer = OperationRecorder(self._files)
        raised: m.Raised | None = None
        value: m.Value = None
        packer = Packer(self._handles.keeper(request.id))
        _reset_globals(request.seed, request.grad)
        # What was returned is read, and the arguments are looked at, while calls are still
        # refused: an object may do its work only when it is read.
        with self._refusals.during(request.banned, recorder):
            try:
                quiet = output.captured() if self._capture else contextlib.nullcontext()
                with quiet, self._alarm(request.seconds):
                    function = self._find(request.function)
                    modules.tracer = tracer
                    with modules.attended(), tracer if request.trace else contextlib.nullcontext():
                        returned = function(*args, **kwargs)
                    grad_mode = torch.is_grad_enabled()
                    torch.set_grad_enabled(True)
                    value = _packed(packer, returned)
            except BaseException as error:
                grad_mode = torch.is_grad_enabled()
                raised = describe_exception(error, self._files)
            torch.set_grad_enabled(True)
            reached = reached_leaves(packer.tensors, unpacker.leaves)
            rebound = _rebound(slots)
            facts = [
                state.facts(leaf in reached, leaf in rebound) for leaf, state in enumerate(before)
            ]
        self._output_left -= len(output.stdout.getvalue()) + len(output.stderr.getvalue())
        self._remember(request.id, _Kept(packer.tensors, unpacker.leaves))
        return m.Answer(
            id=request.id,
            returned=value,
            raised=raised,
            arguments=facts,
            grad_mode=grad_mode,
            banned=recorder.calls,
            warnings=output.warned,
            stdout=output.stdout.getvalue(),
            stderr=output.stderr.getvalue(),
            output_cut=output.stdout.cut or output.stderr.cut,
            graph=recorded_graph(packer.tensors, unpacker.leaves) if request.graph else [],
            trace=tracer.events,
            seconds=time.perf_counter() - started,
            origins=belongings.origins(packer.tensors),
            arrays=belongings.changed_arrays(),
            modules=modules.facts(value),
        )

    def backward(self, request: m.Backward) -> m.Gradients:
        """Gradients of an earlier call's tensor arguments."""
        self._refusals.lift()
        kept = self._kept.get(request.call)
        if kept is None:
            why = m.Raised("GraderFailed", [], "the graph of this call is no longer kept", [])
            return m.Gradients(request.id, raised=why)
        pairs = [
            (out, grad)
            for out, grad in zip(kept.outputs, request.grads, strict=False)
            if grad is not None and out.requires_grad
        ]
        wanted = [leaf for leaf in kept.leaves if leaf.requires_grad]
        _reset_globals(0, True)
        try:
            with Output(10_000).captured(), self._alarm(request.seconds):
                found = _gradients(pairs, wanted)
        except BaseException as error:
            return m.Gradients(request.id, raised=describe_exception(error, self._files))
        by_leaf = dict(zip(map(id, wanted), found, strict=True))
        grads = [by_leaf.get(id(leaf)) for leaf in kept.leaves]
        return m.Gradients(
            request.id, [None if grad is None else plain_tensor(grad) for grad in grads]
        )

    def record(self, request: m.Record) -> m.Recorded:
        """The tape of several calls in a row. Raises CannotDecode for arguments that are none."""
        self._refusals.lift()
        unpacker = Unpacker(self._handles.find)
        given = {name: unpacker.unpack(value) for name, value in request.given.items()}
        recorder = TapeRecorder(self._files)
        raised: m.Raised | None = None
        _reset_globals(request.seed, True)
        try:
            with Output(10_000).captured(), self._alarm(request.seconds):
                if request.steps:
                    run_steps(self._find, given, request.steps, recorder)
                else:
                    name_tensors(self._module.__dict__, recorder)
        except BaseException as error:
            raised = describe_exception(error, self._files)
        torch.set_grad_enabled(True)
        return m.Recorded(request.id, recorder.tape(), raised)

    def settle(self) -> None:
        """Nothing refuses any more: before the trusted side goes on where it shares the process."""
        self._refusals.lift()

    def _find(self, name: str) -> Any:
        if name in self._handles.operations:
            return self._handles.operations[name]
        try:
            return self._module.__dict__[name]
        except KeyError:
            raise MissingFunction(f"there is no function called {name}") from None

    def _remember(self, call: str, kept: _Kept) -> None:
        self._kept[call] = kept
        if len(self._kept) > KEPT_CALLS:
            self._kept.popitem(last=False)


class MissingFunction(Exception):
    """The submission defines no function of this name."""


class _Before:
    """A tensor argument as it was, to tell what a call did to it."""

    def __init__(self, tensor: torch.Tensor, leaf: torch.Tensor) -> None:
        self.tensor = tensor
        self.leaf = leaf
        self.value = tensor.detach().clone()
        self.requires_grad = tensor.requires_grad
        self.version = tensor._version
        # Of a computed tensor .grad is no fact, and asking warns.
        grad = leaf.grad if leaf.is_leaf else None
        self.grad = None if grad is None else grad.detach().clone()

    def facts(self, reached: bool, rebound: bool) -> m.ArgumentFacts:
        tensor = self.tensor
        changed = not _same(tensor.detach(), self.value)
        grad = tensor.grad if tensor.is_leaf else None
        if grad is None or self.grad is None:
            grad_changed = grad is not self.grad
        else:
            grad_changed = not _same(grad.detach(), self.grad)
        differs = changed or grad_changed or tensor.requires_grad != self.requires_grad
        after: m.TensorValue | None = None
        if differs:
            with contextlib.suppress(CannotDecode):
                packed = Packer().pack(tensor)
                after = packed if isinstance(packed, m.TensorValue) else None
        return m.ArgumentFacts(
            changed=changed,
            requires_grad=tensor.requires_grad,
            is_leaf=tensor.is_leaf,
            after=after,
            reached=reached,
            writes=tensor._version - self.version,
            rebound=rebound,
        )


def _packed(packer: Packer, returned: Any) -> m.Value:
    try:
        return packer.pack(returned)
    except CannotDecode as error:
        return m.OpaqueValue(type_name(returned), str(error))


_Slot = tuple[int, list[Any], int, torch.Tensor]


def _slots(args: list[Any], tensors: list[torch.Tensor]) -> list[_Slot]:
    """Where each tensor argument stands in a list of the caller's: (its index, list, place, it)."""
    numbers = {id(tensor): index for index, tensor in enumerate(tensors)}
    return [
        (numbers[id(item)], arg, place, item)
        for arg in args
        if isinstance(arg, list)
        for place, item in enumerate(arg)
        if id(item) in numbers
    ]


def _rebound(slots: list[_Slot]) -> set[int]:
    return {
        index
        for index, owner, place, tensor in slots
        if place >= len(owner) or owner[place] is not tensor
    }


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    return bool(((a == b) | ((a != a) & (b != b))).all())


def _gradients(
    pairs: list[tuple[torch.Tensor, m.TensorValue]], wanted: list[torch.Tensor]
) -> list[torch.Tensor | None]:
    if not pairs or not wanted:
        return [None] * len(wanted)
    outputs = [out for out, _ in pairs]
    grads = [Unpacker().unpack(grad) for _, grad in pairs]
    # The engine itself: torch.autograd.grad first imports a symbolic algebra package (0.3 s).
    found = torch.autograd.Variable._execution_engine.run_backward(
        tuple(outputs), tuple(grads), True, False, tuple(wanted), allow_unreachable=True,
        accumulate_grad=False,
    )  # fmt: skip
    return list(found)


def _reset_globals(seed: int, grad: bool) -> None:
    """What one call set must not reach the next."""
    torch.set_grad_enabled(grad)
    if torch.get_default_dtype() is not torch.float32:
        torch.set_default_dtype(torch.float32)
    if torch.is_anomaly_enabled():
        torch.autograd.set_detect_anomaly(False)
    if torch.are_deterministic_algorithms_enabled():
        torch.use_deterministic_algorithms(False)
    torch.set_printoptions(profile="default")  # type: ignore[no-untyped-call]
    # The generator directly: torch.manual_seed asks every device and is 70 times slower.
    torch.default_generator.manual_seed(seed)
    random.seed(seed)
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed(seed % 2**32)
