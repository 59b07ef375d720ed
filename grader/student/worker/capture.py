"""Plain records of exceptions, lines and output: what student code leaves behind."""

from __future__ import annotations

import contextlib
import io
import signal
import sys
import types
import warnings
from collections.abc import Collection, Iterator
from typing import Any

import torch

from . import messages as m

MAX_MESSAGE = 2_000  # characters of an exception's text
MAX_FRAMES = 30
MAX_LOCALS = 24
MAX_WARNINGS = 20


class TimeLimit(BaseException):
    """The time allowed ran out. No Exception, so that `except Exception` lets it pass."""


@contextlib.contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raise TimeLimit in the body after `seconds`, again and again until it gives way.

    Without SIGALRM (Windows) the body is not interrupted: the trusted side ends the process.
    """
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def ring(number: int, frame: types.FrameType | None) -> None:
        raise TimeLimit(f"more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    # Repeated: a bare `except:` swallows the first.
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.05)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def short_text(error: BaseException) -> str:
    """The exception's text, cut; an exception whose text cannot be had has none."""
    try:
        text = str(error)
    except BaseException:
        return ""
    return writable(str.__str__(text)[:MAX_MESSAGE]) if isinstance(text, str) else ""


def writable(text: str) -> str:
    """The text with a question mark for each half of a character, which no encoding has."""
    return text.encode("utf-8", "replace").decode()


def describe_exception(error: BaseException, files: Collection[str]) -> m.Raised:
    """The exception as data; frames are those in `files`, the student's own."""
    frames: list[m.Frame] = []
    innermost: types.FrameType | None = None
    last_function = ""
    last_is_student = False
    traceback = error.__traceback__
    steps = 0
    while traceback is not None and steps < 20_000:
        frame = traceback.tb_frame
        last_function = frame.f_code.co_name
        last_is_student = frame.f_code.co_filename in files
        if last_is_student:
            line = traceback.tb_lineno or frame.f_code.co_firstlineno
            frames.append(m.Frame(frame.f_code.co_filename, line, frame.f_code.co_name))
            innermost = frame
        traceback = traceback.tb_next
        steps += 1
    kind = type(error)
    return m.Raised(
        type=kind.__name__[:200],
        families=[base.__name__[:200] for base in kind.__mro__][:20],
        message=short_text(error),
        frames=frames[:2] + frames[2:][-MAX_FRAMES:],
        locals=[] if innermost is None else describe_locals(innermost.f_locals),
        library_function="" if last_is_student else last_function,
        attribute=str(error.name)[:100] if isinstance(error, AttributeError) else "",
        owner=type(error.obj).__name__[:100] if isinstance(error, AttributeError) else "",
    )


def describe_locals(names: dict[str, Any]) -> list[m.Local]:
    """What the names of one frame hold, tensors first, at most `MAX_LOCALS` of them."""
    found = [describe_local(name, thing) for name, thing in list(names.items())[:200]]
    found.sort(key=lambda local: local.dtype == "")
    return found[:MAX_LOCALS]


def describe_local(name: str, thing: Any) -> m.Local:
    kind = type(thing)
    if issubclass(kind, torch.Tensor):
        with torch._C.DisableTorchFunctionSubclass():
            node = thing.grad_fn
            return m.Local(
                name=str(name)[:100],
                type=kind.__name__[:100],
                dtype=str(thing.dtype).removeprefix("torch."),
                shape=() if thing.is_nested else tuple(thing.shape),  # a nested one has none
                requires_grad=thing.requires_grad,
                is_leaf=thing.is_leaf,
                node="" if node is None else node.name()[:100],
            )
    dtype = ""
    shape: tuple[int, ...] = ()
    if kind.__module__ == "numpy":
        dtype = str(getattr(thing, "dtype", ""))[:40]
        shape = tuple(getattr(thing, "shape", ()))
    return m.Local(name=str(name)[:100], type=kind.__name__[:100], dtype=dtype, shape=shape)


class CappedText(io.TextIOBase):
    """A text stream that keeps the first `limit` characters and forgets the rest."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pieces: list[str] = []
        self._kept = 0
        self.cut = False

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        room = self._limit - self._kept
        if len(text) > room:
            self.cut = True
        piece = str(text)[: max(room, 0)]
        if piece:
            self._pieces.append(piece)
            self._kept += len(piece)
        return len(text)

    def getvalue(self) -> str:
        return writable("".join(self._pieces))


class Output:
    """Standard output, standard error and warnings of a stretch of student code."""

    def __init__(self, limit: int) -> None:
        self.stdout = CappedText(limit)
        self.stderr = CappedText(limit)
        self.warned: list[m.Warned] = []

    @contextlib.contextmanager
    def captured(self) -> Iterator[None]:
        before = sys.stdout, sys.stderr
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = self._warn
            sys.stdout, sys.stderr = self.stdout, self.stderr
            try:
                yield
            finally:
                sys.stdout, sys.stderr = before

    def _warn(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: Any = None,
        line: str | None = None,
    ) -> None:
        if len(self.warned) < MAX_WARNINGS:
            text = short_text(message) if isinstance(message, Warning) else writable(str(message))
            self.warned.append(
                m.Warned(category.__name__[:200], text[:500], str(filename)[-200:], int(lineno))
            )
