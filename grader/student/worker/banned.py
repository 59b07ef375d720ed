"""Library calls that an assignment does not allow: record them, and where they were made.

A kernel that raises is registered over each banned operator, on CPU and on CPU with autograd,
in every overload (in place and out= too), for the length of one call. Optimizers have no
operator of their own, so their `step` is wrapped. Best effort beside an attacker: this lives in
his process.
"""

from __future__ import annotations

import contextlib
import sys
import types
import warnings
from collections.abc import Callable, Collection, Iterator
from typing import Any

import torch

from . import messages as m

OPTIMIZERS = "torch.optim"
MAX_RECORDED = 20


class BannedLibraryCall(Exception):
    """A call that "by hand" does not allow."""


class BanRecorder:
    """What was called though it is not allowed."""

    def __init__(self, files: Collection[str]) -> None:
        self.calls: list[m.BannedCall] = []
        self._files = files

    def refuse(self, name: str) -> None:
        """Record and raise."""
        if len(self.calls) < MAX_RECORDED:
            self.calls.append(m.BannedCall(name, self._student_frames()))
        raise BannedLibraryCall(f"{name} is not allowed here: the exercise asks for it by hand")

    def _student_frames(self) -> list[m.Frame]:
        frames: list[m.Frame] = []
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename in self._files:
                name = frame.f_code.co_name
                frames.append(m.Frame(frame.f_code.co_filename, frame.f_lineno, name))
            frame = frame.f_back
        return frames[::-1]


@contextlib.contextmanager
def refusing(names: Collection[str], recorder: BanRecorder) -> Iterator[None]:
    """Make the named operators (aten names without overload) and "torch.optim" refuse to run."""
    if not names:
        yield
        return
    library = torch.library.Library("aten", "IMPL")
    with contextlib.ExitStack() as stack:
        stack.callback(library._destroy)
        for name in names:
            if name != OPTIMIZERS:
                _refuse_operator(library, name, recorder)
        if OPTIMIZERS in names:
            for owner, attribute in _optimizer_steps():
                _replace(stack, owner, attribute, _refusing_call(OPTIMIZERS, recorder))
        yield


def _optimizer_steps() -> list[tuple[Any, str]]:
    """Where PyTorch's own optimizers do their work; a student's own subclass is by hand."""
    found: list[tuple[Any, str]] = []
    waiting = list(torch.optim.Optimizer.__subclasses__())
    while waiting:
        kind = waiting.pop()
        waiting.extend(kind.__subclasses__())
        if kind.__module__.startswith("torch.") and "step" in vars(kind):
            found.append((kind, "step"))
    functional = sys.modules.get("torch.optim.sgd")
    names = ("sgd", "_single_tensor_sgd", "_multi_tensor_sgd", "_fused_sgd")
    return found + [(functional, name) for name in names if hasattr(functional, name)]


def _replace(stack: contextlib.ExitStack, owner: Any, attribute: str, thing: Any) -> None:
    stack.callback(setattr, owner, attribute, getattr(owner, attribute))
    setattr(owner, attribute, thing)


def _refuse_operator(library: Any, name: str, recorder: BanRecorder) -> None:
    packet = getattr(torch.ops.aten, name, None)
    if packet is None:  # an operator that this release does not have
        return
    refusal = _refusing_call(name, recorder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for overload in packet.overloads():
            full = name if overload == "default" else f"{name}.{overload}"
            for key in ("CPU", "AutogradCPU"):
                # Some overloads take no kernel of ours (they return no tensor): nothing to ban.
                with contextlib.suppress(RuntimeError):
                    library.impl(full, refusal, key, allow_override=True)


def _refusing_call(name: str, recorder: BanRecorder) -> Callable[..., None]:
    def refuse(*args: Any, **kwargs: Any) -> None:
        recorder.refuse(name)

    return refuse
