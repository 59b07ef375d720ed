"""Library calls that an assignment does not allow: record them, and where they were made.

A kernel that raises is registered over each banned operator, on CPU and on CPU with autograd,
in every overload (in place and out= too), for the length of one call. Optimizers have no
operator of their own, so their `step` is wrapped. What reaches neither (PyTorch's own versions in
Python, kernels called past the dispatcher, fused operators) is seen by a profile function. Best
effort beside an attacker: this lives in his process.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import types
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import torch

from . import messages as m

OPTIMIZERS = "torch.optim"
LIBRARY_FILE = "<library pieces>"
MAX_RECORDED = 20
_KEYS = ("CPU", "AutogradCPU", "MkldnnCPU")
_TORCH = os.path.dirname(torch.__file__) + os.sep
# Operators written in Python, for compilers: the same functions once more.
_IN_PYTHON = tuple(
    _TORCH + folder for folder in ("_refs", "_decomp", "_prims", "_inductor", "_functorch")
)
_OPTIM = os.path.join(_TORCH, "optim", "")
_OPTIM_BASES = frozenset({"optimizer.py", "lr_scheduler.py", "swa_utils.py", "__init__.py"})
_SETTING_UP = frozenset({"__init__", "__setstate__", "<module>"})
# Where fused operators live, such as a linear layer with its activation.
_FUSED = frozenset({"mkldnn", "mkldnn_prepacked", "onednn", "quantized", "_quantized", "prepacked"})
# A kernel called past the dispatcher; and what would switch this watch off.
_PAST_US = frozenset({"call_boxed", "setprofile"})


class BannedLibraryCall(Exception):
    """A call that "by hand" does not allow."""


class BanRecorder:
    """What was called though it is not allowed."""

    def __init__(self, files: Collection[str]) -> None:
        self.calls: list[m.BannedCall] = []
        self._files = frozenset(files)

    def refuse(self, name: str) -> None:
        """Record and raise."""
        if len(self.calls) < MAX_RECORDED:
            self.calls.append(m.BannedCall(name, self._student_frames()))
        raise BannedLibraryCall(f"{name} is not allowed here: the exercise asks for it by hand")

    def _student_frames(self) -> list[m.Frame]:
        frames: list[m.Frame] = []
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None:
            # Library pieces too: a stand-in may call what it is made of.
            if frame.f_code.co_filename in self._files | {LIBRARY_FILE}:
                name = frame.f_code.co_name
                frames.append(m.Frame(frame.f_code.co_filename, frame.f_lineno, name))
            frame = frame.f_back
        return frames[::-1]


class Refusals:
    """Makes operators refuse for the length of a call.

    The kernels stay in place for the next call if it bans the same: to put them there costs more
    than the call. `lift` takes them away; nothing else may run before.
    """

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self._kernels = contextlib.ExitStack()
        self._recorder: BanRecorder | None = None

    def are_of(self, names: Sequence[str]) -> bool:
        """Whether those in place are of these names."""
        return tuple(names) == self._names

    @contextlib.contextmanager
    def during(self, names: Sequence[str], recorder: BanRecorder) -> Iterator[None]:
        """Make the named operators (aten names without overload) and "torch.optim" refuse."""
        if not self.are_of(names):
            self.lift()
            self._put(names)
        if not names:
            yield
            return
        self._recorder = recorder
        with _watching(frozenset(names), recorder):
            yield

    def lift(self) -> None:
        """Nothing refuses any more."""
        self._names = ()
        self._kernels.close()

    def _put(self, names: Sequence[str]) -> None:
        if not names:
            return
        self._names = tuple(names)
        library = torch.library.Library("aten", "IMPL")  # type: ignore[no-untyped-call]
        self._kernels.callback(library._destroy)
        for name in names:
            if name != OPTIMIZERS:
                _refuse_operator(library, name, self._refusing(name))
        if OPTIMIZERS in names:
            for owner, attribute in _optimizer_steps():
                _replace(self._kernels, owner, attribute, self._refusing(OPTIMIZERS))

    def _refusing(self, name: str) -> Callable[..., None]:
        def refuse(*args: Any, **kwargs: Any) -> None:
            assert self._recorder is not None
            self._recorder.refuse(name)

        return refuse


@contextlib.contextmanager
def _watching(names: frozenset[str], recorder: BanRecorder) -> Iterator[None]:
    """See every function that is entered, in this thread and in those it starts."""
    verdicts: dict[types.CodeType, str] = {}
    kinds = (torch._ops.OpOverload, torch._ops.OpOverloadPacket)
    calling = {kind.__call__.__code__ for kind in kinds}

    def watch(frame: types.FrameType, event: str, arg: Any) -> None:
        if event == "c_call":
            if arg.__name__ in _PAST_US and frame is not home:
                recorder.refuse(arg.__name__)
        elif event == "call":
            code = frame.f_code
            name = verdicts.get(code)
            if name is None:
                name = verdicts[code] = _verdict(code, names)
            if not name and code in calling:
                name = _fused(frame.f_locals.get("self"))
            if name:
                recorder.refuse(name)

    home = sys._getframe()
    before, before_in_threads = sys.getprofile(), threading.getprofile()
    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(before)
        threading.setprofile(before_in_threads)


def _verdict(code: types.CodeType, names: frozenset[str]) -> str:
    """What is banned about this function of PyTorch's, or nothing."""
    file = code.co_filename
    if not file.startswith(_TORCH):
        return ""
    if OPTIMIZERS in names and file.startswith(_OPTIM):
        base = os.path.basename(file) in _OPTIM_BASES
        return "" if base or code.co_name in _SETTING_UP else OPTIMIZERS
    return code.co_name if code.co_name in names and file.startswith(_IN_PYTHON) else ""


def _fused(operator: Any) -> str:
    name = str(getattr(operator, "_qualified_op_name", getattr(operator, "_name", "")))
    return name if name.partition("::")[0] in _FUSED else ""


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


def _refuse_operator(library: Any, name: str, refusal: Callable[..., None]) -> None:
    packet = getattr(torch.ops.aten, name, None)
    if packet is None:  # an operator that this release does not have
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for overload in packet.overloads():
            full = name if overload == "default" else f"{name}.{overload}"
            for key in _KEYS:
                # Some overloads take no kernel of ours (they return no tensor): nothing to ban.
                with contextlib.suppress(RuntimeError):
                    library.impl(full, refusal, key, allow_override=True)
