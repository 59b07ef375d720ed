"""The submission in this very process: for an author's debugger and as a benchmark's baseline.

It protects nobody: never for code that somebody else wrote.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from grader.student.worker import messages as m
from grader.student.worker.calls import Caller
from grader.student.worker.capture import Output
from grader.student.worker.loading import SHADOWED, load


class InProcessBackend:
    """Answers as a worker would, but for time-outs and deaths, which are the caller's own."""

    isolation = "in-process"

    def __init__(self, request: m.Load) -> None:
        self._request = request
        self._caller: Caller | None = None

    def load(self) -> m.Loaded:
        before = {name: sys.modules.get(name) for name in SHADOWED}
        try:
            with Output(1_000_000).captured():
                module, notes = load(self._request, _no_alarm)
        finally:
            # In a worker they may stay; here they would stand in for the real ones.
            for name, known in before.items():
                sys.modules.pop(name, None)
                if known is not None:
                    sys.modules[name] = known
        files = {cell.filename for cell in self._request.cells}
        self._caller = Caller(module, files, self._request.output_limit, _no_alarm, capture=False)
        names = [name for name, thing in module.__dict__.items() if callable(thing)]
        return m.Loaded(names, notes)

    def call(self, request: m.Call) -> m.Answer:
        if self._caller is None:
            self.load()
        assert self._caller is not None
        try:
            return self._caller.call(request)
        finally:
            # The checks and the oracle run in this process too.
            self._caller.settle()

    def backward(self, request: m.Backward) -> m.Gradients:
        assert self._caller is not None, "a call comes before its backward"
        return self._caller.backward(request)

    def close(self) -> None:
        self._caller = None


@contextlib.contextmanager
def _no_alarm(seconds: float) -> Iterator[None]:
    """A debugger may stand still for as long as it likes."""
    yield
