"""A submission from its source, running in a worker; and what a process has left behind."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from grader.student.backend import Worker, WorkerBackend
from grader.student.proxy import Student
from grader.student.worker import messages as m

ROOT = Path(__file__).resolve().parents[2]
FILE = "answer.py"


class Running:
    """A submission and how it loaded."""

    def __init__(self, backend: WorkerBackend, student: Student) -> None:
        self.backend = backend
        self.student = student
        self.loaded = backend.load()

    def returned(self, function: str, *args: Any) -> Any:
        record = self.student.run(function, args)
        assert record.raised is None, record.raised
        return record.returned

    def raised(self, function: str, *args: Any) -> m.Raised:
        record = self.student.run(function, args)
        assert record.raised is not None
        return record.raised


@contextlib.contextmanager
def running(
    start: Callable[[], Worker], source: str, call_seconds: float = 5.0, **load: Any
) -> Iterator[Running]:
    backend = WorkerBackend(start, m.Load([m.Cell(FILE, source)], **load))
    try:
        yield Running(backend, Student(backend, call_seconds=call_seconds))
    finally:
        backend.close()


def line_of(source: str, text: str) -> int:
    return next(n for n, line in enumerate(source.splitlines(), 1) if text in line)


def descendants(pid: int) -> dict[int, str]:
    """Name by process id of all that `pid` started and what they started, zombies included."""
    parents: dict[int, tuple[int, str]] = {}
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError, ValueError):
            stat = Path(f"/proc/{int(name)}/stat").read_text(encoding="utf-8", errors="replace")
            command, _, rest = stat.partition("(")[2].rpartition(")")
            parents[int(name)] = int(rest.split()[1]), command
    found: dict[int, str] = {}
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        for child, (owner, command) in parents.items():
            if owner == parent and child not in found:
                found[child] = command
                waiting.append(child)
    return found


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))
