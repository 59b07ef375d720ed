"""Trusted children, each with a zygote of its own, that grade what they are handed.

They are forked from this process after the checks were collected, so that torch is loaded once;
each serves some submissions and is replaced, so that memory stays flat. One that dies takes
nothing with it: its submission is tried once more in another.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import selectors
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from grader.errors import GraderFailed
from grader.student.worker.wire import Closed, read_frame, send_frame

SERVES = 100  # submissions a child grades before it is replaced; what it recalled goes with it
TRIES = 2
_PR_SET_PDEATHSIG = 1
_MOST_BYTES = 256 << 20


class Task(msgspec.Struct, frozen=True):
    """One submission to grade."""

    id: str
    path: str
    students: tuple[str, ...] = ()
    patience: float = 900.0  # seconds after which its child counts as stuck


class Done(msgspec.Struct, frozen=True):
    """A child's answer: the JSON document, or why the grader failed."""

    id: str
    document: dict[str, Any] = {}
    failure: str = ""


Grade = Callable[[Task], dict[str, Any]]
MakeGrade = Callable[[int], Grade]


class Slot:
    """One place for a child, and what it is doing."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.pid = 0
        self.socket: socket.socket | None = None
        self.task: Task | None = None
        self.since = 0.0
        self.served = 0


class Pool:
    """`make(slot)` is called in a fresh child and gives what grades there.

    `renew(slot)` is called in this process after a child died: its zygote may be in any state.
    """

    def __init__(self, jobs: int, make: MakeGrade, renew: Callable[[int], None]) -> None:
        self._make = make
        self._renew = renew
        self._slots = [Slot(number) for number in range(jobs)]
        self._tries: dict[str, int] = {}

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Results as they are finished. Children are ended on the way out, whatever happens."""
        waiting = deque(tasks)
        selector = selectors.DefaultSelector()
        try:
            while waiting or any(slot.task for slot in self._slots):
                for slot in self._slots:
                    if slot.task is None and waiting:
                        self._hand(slot, waiting.popleft(), selector)
                for key, _ in selector.select(timeout=1.0):
                    done = self._take(key.data, selector, waiting)
                    if done is not None:
                        # It works on while this one is stored and its page is made.
                        if waiting and key.data.task is None:
                            self._hand(key.data, waiting.popleft(), selector)
                        yield done
                yield from self._stuck(selector, waiting)
        finally:
            for slot in self._slots:
                self._end(slot, selector)
            selector.close()

    def _hand(self, slot: Slot, task: Task, selector: selectors.BaseSelector) -> None:
        if slot.socket is None or slot.served >= SERVES:
            self._end(slot, selector)
            selector.register(self._fork(slot), selectors.EVENT_READ, slot)
        slot.task, slot.since = task, time.monotonic()
        slot.served += 1
        assert slot.socket is not None
        with contextlib.suppress(Closed, TimeoutError):  # noticed when its answer does not come
            send_frame(slot.socket, msgspec.msgpack.encode(task), 10.0)

    def _take(
        self, slot: Slot, selector: selectors.BaseSelector, waiting: deque[Task]
    ) -> Done | None:
        assert slot.socket is not None
        try:
            data = read_frame(slot.socket, time.monotonic() + 60, _MOST_BYTES)
            done = msgspec.msgpack.decode(data, type=Done)
        except (Closed, TimeoutError, msgspec.DecodeError):
            return self._lost(slot, selector, waiting, "its process ended")
        slot.task = None
        return done

    def _stuck(self, selector: selectors.BaseSelector, waiting: deque[Task]) -> Iterator[Done]:
        for slot in self._slots:
            if slot.task is not None and time.monotonic() - slot.since > slot.task.patience:
                done = self._lost(slot, selector, waiting, "it took too long")
                if done is not None:
                    yield done

    def _lost(
        self, slot: Slot, selector: selectors.BaseSelector, waiting: deque[Task], why: str
    ) -> Done | None:
        task = slot.task
        self._end(slot, selector)
        self._renew(slot.number)
        if task is None:
            return None
        self._tries[task.id] = self._tries.get(task.id, 1) + 1
        if self._tries[task.id] <= TRIES:
            waiting.appendleft(task)
            return None
        return Done(task.id, failure=f"the grader failed on it twice: {why}")

    def _fork(self, slot: Slot) -> socket.socket:
        ours, theirs = socket.socketpair()
        parent = os.getpid()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            code = 70
            try:
                ours.close()
                for other in self._slots:
                    if other.socket is not None:
                        other.socket.close()
                _die_with(parent)
                _serve(theirs, self._make(slot.number))
                code = 0
            finally:
                os._exit(code)
        theirs.close()
        slot.pid, slot.socket, slot.served, slot.task = pid, ours, 0, None
        return ours

    def _end(self, slot: Slot, selector: selectors.BaseSelector) -> None:
        if slot.socket is not None:
            with contextlib.suppress(KeyError, ValueError):
                selector.unregister(slot.socket)
            slot.socket.close()
            slot.socket = None
        if slot.pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(slot.pid, signal.SIGKILL)
            os.waitpid(slot.pid, 0)
            slot.pid = 0
        slot.task = None


def _die_with(parent: int) -> None:
    """End with the command, however that ends; Ctrl-C is its business alone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(70)


def _serve(connection: socket.socket, grade: Grade) -> None:
    while True:
        try:
            task = msgspec.msgpack.decode(read_frame(connection), type=Task)
        except (Closed, msgspec.DecodeError):
            return
        try:
            done = Done(task.id, grade(task))
        except GraderFailed as error:
            done = Done(task.id, failure=str(error))
        except Exception as error:
            done = Done(task.id, failure=f"{type(error).__name__}: {error}")
        send_frame(connection, msgspec.msgpack.encode(done))


def default_jobs() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return max(1, os.cpu_count() or 1)


def path_text(path: Path) -> str:
    """A path as text that comes back as the same path."""
    return os.fsencode(path).hex()


def text_path(text: str) -> Path:
    return Path(os.fsdecode(bytes.fromhex(text)))
