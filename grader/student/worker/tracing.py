"""Line by line: which names held a new tensor after each line of the student's functions.

Only for explaining a wrong answer: tracing slows a call down, so no check judges under it.
"""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Collection, Iterator
from typing import Any

import torch

from . import messages as m
from .capture import describe_local

MAX_LINES = 400


class Tracer:
    """Records the lines of functions whose code is in `files`."""

    def __init__(self, files: Collection[str], lines: bool) -> None:
        self.lines: list[m.LineTrace] = []
        self.functions: list[str] = []
        self._files = files
        self._wanted = lines

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """Trace the body."""
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            yield
        finally:
            sys.settrace(before)

    def _enter(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename not in self._files or len(self.lines) >= MAX_LINES:
            return None
        if frame.f_code.co_name not in self.functions:
            self.functions.append(frame.f_code.co_name)
        seen = {name: id(thing) for name, thing in frame.f_locals.items()}
        return _FrameTracer(self, frame.f_code.co_name, frame.f_lineno, seen).step


class _FrameTracer:
    def __init__(self, tracer: Tracer, function: str, line: int, seen: dict[str, int]) -> None:
        self._tracer = tracer
        self._function = function
        self._line = line
        self._seen = seen

    def step(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        fresh = [
            describe_local(name, thing)
            for name, thing in list(frame.f_locals.items())[:100]
            if self._seen.get(name) != id(thing) and isinstance(thing, torch.Tensor)
        ]
        self._seen = {name: id(thing) for name, thing in frame.f_locals.items()}
        if event == "return" and isinstance(arg, torch.Tensor):
            fresh.append(describe_local("return", arg))
        if fresh and len(self._tracer.lines) < MAX_LINES:
            filename = frame.f_code.co_filename
            self._tracer.lines.append(m.LineTrace(filename, self._line, self._function, fresh))
        self._line = frame.f_lineno
        return self.step


def called_functions(tracer: Tracer) -> list[str]:
    """Names of the student's functions that ran, each once, in order of first call."""
    return tracer.functions
