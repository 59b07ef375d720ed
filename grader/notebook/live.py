"""Functions that live in this process, as a submission: their source, and a backend for them."""

from __future__ import annotations

import contextlib
import functools
import inspect
import linecache
import os
import signal
import threading
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from grader.notebook.kernel import cell_number
from grader.student.worker import capture
from grader.student.worker import messages as m
from grader.student.worker.calls import Caller
from grader.submission import Cell, Submission

OUTPUT_LIMIT = 100_000
MOST_CELLS = 200
MOST_FUNCTIONS = 2_000


class Live(NamedTuple):
    """Functions by exercise, what can be read of their source, and what its files are called."""

    functions: Mapping[str, object]
    submission: Submission
    names: Mapping[str, str]  # by the file name that Python knows: the one that a report uses


def live(functions: Mapping[str, object], name: str) -> Live:
    """`functions`, with the cells or the file that they and what they call were defined in.

    `name` is what a notebook without a name is called.
    """
    own = list(dict.fromkeys(filter(None, map(_filename, functions.values()))))
    files = [file for file in own if os.path.isfile(file) and cell_number(file) is None]
    if files:
        own, name = files[:1], os.path.basename(files[0])
    else:
        # What they call comes first: of two definitions of a name the last one counts.
        others = [file for file in _reached(functions.values()) if file not in own]
        own = [*others, *own]
    cells: dict[int | None, tuple[str, Cell]] = {}
    for file in own:
        source = "".join(linecache.getlines(file))
        if source.strip():
            number = cell_number(file)
            cells.pop(number, None)
            cells[number] = file, Cell(number, source)
    if len(cells) > 1:
        cells.pop(None, None)
    submission = Submission(name, (), name, tuple(cell for _, cell in cells.values()))
    names = {file: submission.filename(cell) for file, cell in cells.values()}
    return Live(functions, submission, names)


def called(function: object, names: Iterable[str]) -> tuple[str, ...]:
    """Those of `names` that a function calls by way of its own globals."""
    code = _code(function)
    globals_ = getattr(inspect.unwrap(function), "__globals__", {}) if callable(function) else {}
    mentioned = set(_names(code)) if code is not None else set()
    return tuple(name for name in names if name in mentioned and callable(globals_.get(name)))


class LiveBackend:
    """Answers as a worker would, from this process; it stops at Ctrl-C, and at a time limit.

    Time limits hold in the main thread of a system that has alarms, and not inside of one
    operation of torch's. Raises KeyboardInterrupt out of a call that was interrupted.
    """

    isolation = "none"

    def __init__(self, found: Live) -> None:
        module = types.ModuleType("submission")
        module.__dict__.update(found.functions)
        self._names = found.names
        self._functions = list(found.functions)
        self._caller = Caller(module, set(found.names), OUTPUT_LIMIT, alarm)

    def load(self) -> m.Loaded:
        return m.Loaded(self._functions)

    def call(self, request: m.Call) -> m.Answer:
        try:
            answer = self._caller.call(request)
        finally:
            # The checks run in this process too.
            self._caller.settle()
        _stop_if_interrupted(answer.raised)
        return msgspec.structs.replace(
            answer,
            raised=self._named(answer.raised),
            banned=[
                msgspec.structs.replace(call, frames=self._frames(call.frames))
                for call in answer.banned
            ],
            warnings=[self._renamed(warned) for warned in answer.warnings],
            trace=[self._renamed(operation) for operation in answer.trace],
        )

    def backward(self, request: m.Backward) -> m.Gradients:
        answer = self._caller.backward(request)
        _stop_if_interrupted(answer.raised)
        return msgspec.structs.replace(answer, raised=self._named(answer.raised))

    def close(self) -> None:
        self._caller.settle()

    def _named(self, raised: m.Raised | None) -> m.Raised | None:
        if raised is None:
            return None
        return msgspec.structs.replace(raised, frames=self._frames(raised.frames))

    def _frames(self, frames: list[m.Frame]) -> list[m.Frame]:
        return [self._renamed(frame) for frame in frames]

    def _renamed(self, record: Any) -> Any:
        known = self._names.get(record.filename)
        return record if known is None else msgspec.structs.replace(record, filename=known)


@contextlib.contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """A time limit where one can be set; an alarm that was set before goes on afterwards."""
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getitimer(signal.ITIMER_REAL)
    try:
        with capture.alarm(seconds):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *before)


def _stop_if_interrupted(raised: m.Raised | None) -> None:
    if raised is not None and raised.type == "KeyboardInterrupt":
        raise KeyboardInterrupt


def _code(thing: object) -> types.CodeType | None:
    """The code behind a function, whatever it is wrapped into."""
    for _ in range(20):
        if isinstance(thing, functools.partial):
            thing = thing.func
        elif isinstance(thing, types.MethodType):
            thing = thing.__func__
        else:
            break
    with contextlib.suppress(ValueError):  # it wraps itself
        thing = inspect.unwrap(thing) if callable(thing) else thing
    if not isinstance(thing, types.FunctionType) and callable(thing):
        thing = type(thing).__call__
    code = getattr(thing, "__code__", None)
    return code if isinstance(code, types.CodeType) else None


def _filename(thing: object) -> str | None:
    code = _code(thing)
    return code.co_filename if code is not None else None


def _reached(functions: Any) -> list[str]:
    """The notebook's cells in which what these call is defined, in the order of their numbers."""
    found: dict[str, int] = {}
    seen: set[int] = set()
    waiting = list(functions)
    while waiting and len(seen) < MOST_FUNCTIONS:
        thing = waiting.pop()
        code = _code(thing)
        if code is None or id(code) in seen:
            continue
        seen.add(id(code))
        number = cell_number(code.co_filename)
        if number is None:
            continue
        found[code.co_filename] = number
        names = getattr(inspect.unwrap(thing), "__globals__", {})
        waiting += [names[name] for name in _names(code) if callable(names.get(name))]
    return sorted(found, key=lambda file: found[file])[:MOST_CELLS]


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
