"""Record a tape: run functions one after the other in here, and keep what led to what.

The graph is walked from every tensor that an operation took or gave, so that a part that was cut
off is there too. Which line made a node, autograd itself remembers (its anomaly mode).
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import torch
from torch.autograd.graph import get_gradient_edge

from . import tape_records as t
from .tracing import MAX_EVENTS, QUIET, OperationRecorder, operation_name

MAX_NODES = 2_000
MAX_NAMES = 200
MAX_OPERANDS = 200
ACCUMULATES = "torch::autograd::AccumulateGrad"
_FRAME = re.compile(r'  File "(.+)", line (\d+), in (.+)')


@contextlib.contextmanager
def remembering_lines() -> Iterator[None]:
    """Every node that is made meanwhile remembers the stack."""
    before = torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()
    torch.set_anomaly_enabled(True, False)
    try:
        yield
    finally:
        torch.set_anomaly_enabled(*before)


def run_steps(
    find: Callable[[str], Any],
    given: Mapping[str, Any],
    steps: Collection[t.Step],
    into: TapeRecorder,
) -> None:
    """Call the steps' functions in a row and name what they give. Raises what they raise."""
    known = dict(given)
    for name, thing in given.items():
        into.name(name, thing)
    for step in steps:
        function = known[step.function] if step.function in known else find(step.function)
        args = [known[name] for name in step.args]
        with into, remembering_lines():
            known[step.gives] = function(*args)
        into.name(step.gives, known[step.gives])
        _name_parameters(step.gives, known[step.gives], into)


def name_tensors(module: Mapping[str, Any], into: TapeRecorder) -> None:
    """Name the tensors that a module made at its top level, in its order."""
    for name, thing in list(module.items()):
        _name_parameters(name, thing, into)
        if isinstance(thing, torch.Tensor):
            into.name(name, thing)
        elif isinstance(thing, (list, tuple)):
            for place, item in enumerate(thing):
                if isinstance(item, torch.Tensor):
                    into.name(f"{name}[{place}]", item)


def _name_parameters(name: str, thing: Any, into: TapeRecorder) -> None:
    if isinstance(thing, torch.nn.Module):
        for inner, parameter in thing.named_parameters():
            into.name(f"{name}.{inner}", parameter)


class TapeRecorder(OperationRecorder):
    """Records operations with the tensors that they took and gave; `tape` is what came of it."""

    def __init__(self, files: Collection[str]) -> None:
        super().__init__(files)
        self._nodes: dict[Any, int] = {}
        self._tensors: list[t.TapeTensor] = []
        self._moments: dict[tuple[int, int], int] = {}
        # Alive until the end: numbers of things that are gone are given to new ones.
        self._alive: list[Any] = []
        self._leaves: dict[int, int] = {}
        self._operations: list[t.TapeOperation] = []
        self._names: list[t.Named] = []
        self._cut = False

    def name(self, name: str, thing: Any) -> None:
        """Remember what a name stands for."""
        if len(self._names) >= MAX_NAMES:
            self._cut = True
        elif isinstance(thing, torch.Tensor):
            self._names.append(t.Named(str(name)[:100], self._tensor(thing)))
        else:
            self._names.append(t.Named(str(name)[:100], -1, type(thing).__name__[:100]))

    def tape(self) -> t.Tape:
        """All that was recorded, with the graph behind it."""
        nodes = [self._node(node) for node in self._walked()]
        return t.Tape(nodes, self._tensors, self._operations, self._names, self._cut)

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        named = kwargs or {}
        name = operation_name(func)
        frame = None if name in QUIET else self._student_frame()
        if frame is None:
            return func(*args, **named)
        if len(self._operations) >= MAX_EVENTS:
            self._cut = True
            return func(*args, **named)
        spot = t.Spot(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
        operands = _tensors([*args, *named.values()])
        inputs = [self._tensor(operand) for operand in operands]
        recording = torch.is_grad_enabled()
        result = func(*args, **named)
        outputs = [self._tensor(tensor) for tensor in _tensors([result])]
        # Written in place: the same tensor is another one from here on.
        after = [self._tensor(operand) for operand in operands]
        outputs += [now for was, now in zip(inputs, after, strict=True) if now != was]
        kind = "" if outputs else type(result).__name__[:60]
        made = list(dict.fromkeys(outputs))
        self._operations.append(t.TapeOperation(name, spot, inputs, made, recording, kind))
        return result

    def _tensor(self, tensor: torch.Tensor) -> int:
        with torch._C.DisableTorchFunctionSubclass():
            node = get_gradient_edge(tensor).node if tensor.requires_grad else None
            number = -1 if node is None else self._number(node)
            moment = (id(tensor), number)
            if moment not in self._moments:
                self._alive.append(tensor)
                self._moments[moment] = len(self._tensors)
                if tensor.requires_grad and tensor.is_leaf:
                    self._leaves.setdefault(id(tensor), len(self._tensors))
                self._tensors.append(
                    t.TapeTensor(
                        str(tensor.dtype).removeprefix("torch."),
                        tuple(tensor.shape),
                        tensor.requires_grad,
                        number,
                    )
                )
        return self._moments[moment]

    def _number(self, node: Any) -> int:
        return self._nodes.setdefault(node, len(self._nodes))

    def _walked(self) -> list[Any]:
        """The nodes met so far and all behind them, each at its number."""
        found = list(self._nodes)
        for node in found:  # grows
            for child, _ in node.next_functions:
                if child is None or child in self._nodes:
                    continue
                if len(found) >= MAX_NODES:
                    self._cut = True
                    continue
                self._nodes[child] = len(found)
                found.append(child)
        for node in found:
            variable = _variable(node)
            if variable is not None and id(variable) not in self._leaves:
                self._tensor(variable)
        return found

    def _node(self, node: Any) -> t.TapeNode:
        shape: tuple[int, ...] | None = None
        dtype = ""
        for made in getattr(node, "_input_metadata", ())[:1]:
            shape, dtype = tuple(made.shape), str(made.dtype).removeprefix("torch.")
        variable = _variable(node)
        if variable is not None:
            shape, dtype = tuple(variable.shape), str(variable.dtype).removeprefix("torch.")
        return t.TapeNode(
            node.name()[:100],
            [self._nodes.get(child, -1) for child, _ in node.next_functions],
            -1 if variable is None else self._leaves.get(id(variable), -1),
            shape,
            dtype,
            None if variable is not None else self._spot(node),
        )

    def _spot(self, node: Any) -> t.Spot | None:
        """The student's innermost line on the stack that made the node."""
        for entry in reversed(node.metadata.get("traceback_", ())):
            found = _FRAME.match(entry)
            if found and found[1] in self._files:
                return t.Spot(found[1], int(found[2]), found[3][:100])
        return None


def _variable(node: Any) -> torch.Tensor | None:
    """The leaf whose gradient arrives here; a Function of one's own may have any attribute."""
    found = getattr(node, "variable", None) if node.name() == ACCUMULATES else None
    return found if isinstance(found, torch.Tensor) else None


def _tensors(things: list[Any]) -> list[torch.Tensor]:
    found: list[torch.Tensor] = []
    for thing in things:
        if isinstance(thing, torch.Tensor):
            found.append(thing)
        elif isinstance(thing, (list, tuple)):
            found.extend(item for item in thing[:MAX_OPERANDS] if isinstance(item, torch.Tensor))
    return found[:MAX_OPERANDS]
