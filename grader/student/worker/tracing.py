"""Operation by operation: what the student's lines did to tensors, in the order in which they ran.

Only for explaining a wrong answer: recording slows a call down, so no check judges under it.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Collection
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from . import messages as m
from .capture import describe_local

MAX_EVENTS = 600
MAX_OPERANDS = 6
# Looked at, not computed: these say nothing about where a value came from.
QUIET = frozenset(
    {"shape", "dtype", "device", "requires_grad", "is_leaf", "grad_fn", "ndim", "layout", "size",
     "dim", "numel", "__len__", "__repr__", "__format__", "__hash__", "is_floating_point"}
)  # fmt: skip


class OperationRecorder(TorchFunctionMode):
    """Records the operations that code in `files` asks for."""

    def __init__(self, files: Collection[str]) -> None:
        super().__init__()
        self.events: list[m.Operation] = []
        self.paused = 0  # above 0 inside of a watched module: that is one operation, told by it
        self._files = files

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name = operation_name(func)
        if self.paused or name in QUIET or len(self.events) >= MAX_EVENTS:
            return func(*args, **(kwargs or {}))
        frame = self._student_frame()
        if frame is None:
            return func(*args, **(kwargs or {}))
        operands = _tensors([*args, *(kwargs or {}).values()])
        # Described before: an operation in place changes what it describes.
        inputs = [describe_local("", tensor) for tensor in operands]
        place = (frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
        grad = torch.is_grad_enabled()
        try:
            result = func(*args, **(kwargs or {}))
        except BaseException:
            self.events.append(m.Operation(*place, name, inputs, [], grad, raised=True))
            raise
        outputs = [describe_local("", tensor) for tensor in _tensors([result])]
        same = any(result is operand for operand in operands)
        kind = "" if outputs else type(result).__name__[:60]
        self.events.append(m.Operation(*place, name, inputs, outputs, grad, same, kind=kind))
        return result

    def _student_frame(self) -> types.FrameType | None:
        frame: types.FrameType | None = sys._getframe(2)
        depth = 0
        while frame is not None and depth < 60:
            if frame.f_code.co_filename in self._files:
                return frame
            frame = frame.f_back
            depth += 1
        return None


def operation_name(func: Any) -> str:
    """`add`, `detach`; `data` for reading a property, `grad=` for setting one."""
    name = str(getattr(func, "__name__", type(func).__name__))
    owner = getattr(func, "__self__", None)
    if name == "__get__" and owner is not None:
        return str(getattr(owner, "__name__", name))[:60]
    if name == "__set__" and owner is not None:
        return str(getattr(owner, "__name__", name))[:58] + "="
    return name[:60]


def _tensors(things: list[Any]) -> list[torch.Tensor]:
    found: list[torch.Tensor] = []
    for thing in things:
        if isinstance(thing, torch.Tensor):
            found.append(thing)
        elif isinstance(thing, (list, tuple)):
            found.extend(item for item in thing[:MAX_OPERANDS] if isinstance(item, torch.Tensor))
    return found[:MAX_OPERANDS]
