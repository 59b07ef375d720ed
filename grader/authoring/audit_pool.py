"""The processes that grade for an audit, and the sharing out of its tasks among them."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO

import msgspec

from grader.assignment import Assignment
from grader.authoring.audit_records import Place, Seen, Task
from grader.errors import GraderFailed, UsageError

LEAST_TASKS = 40  # a process takes seconds to come up: fewer tasks than this are not worth one
LEAVING_SECONDS = 10.0

Heard = Callable[[int, int], None]


def grade_all(
    assignment: Assignment,
    tasks: Sequence[Task],
    *,
    jobs: int,
    isolation: str = "auto",
    heard: Heard = lambda done, total: None,
) -> list[Seen]:
    """Grade the tasks in at most `jobs` processes; answers come in the tasks' order.

    `heard(done, total)` is called after each. Raises GraderFailed, or UsageError for an
    assignment or isolation level that cannot be used.
    """
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for index in range(len(tasks)):
        waiting.put(index)
    answered: queue.SimpleQueue[tuple[int, Seen] | BaseException] = queue.SimpleQueue()
    place = _place(assignment, isolation)
    count = max(1, min(jobs, len(tasks) // LEAST_TASKS))
    found: dict[int, Seen] = {}
    with contextlib.ExitStack() as stack:
        for _ in range(count if tasks else 0):
            process = stack.enter_context(GradingProcess(place))
            share = (process, tasks, waiting, answered)
            threading.Thread(target=_serve, args=share, daemon=True).start()
        while len(found) < len(tasks):
            heard(len(found), len(tasks))
            said = answered.get()
            if isinstance(said, BaseException):
                raise said
            found[said[0]] = said[1]
    return [found[index] for index in range(len(tasks))]


def _serve(
    process: GradingProcess,
    tasks: Sequence[Task],
    waiting: queue.SimpleQueue[int],
    answered: queue.SimpleQueue[tuple[int, Seen] | BaseException],
) -> None:
    try:
        for index in _taken(waiting):
            answered.put((index, process.ask(tasks[index])))
    except BaseException as error:
        answered.put(error)


def _taken(waiting: queue.SimpleQueue[int]) -> Iterator[int]:
    with contextlib.suppress(queue.Empty):
        while True:
            yield waiting.get_nowait()


def _place(assignment: Assignment, isolation: str) -> Place:
    if assignment.solutions is None:
        raise UsageError(
            f"the solutions of {assignment.name} are not at hand", "Say where with --solutions DIR."
        )
    return Place(str(assignment.path.resolve()), str(assignment.solutions.parent), isolation)


class GradingProcess:
    """One grading process. Its errors are kept in a file, for the message when it dies."""

    def __init__(self, place: Place) -> None:
        root = str(Path(__file__).resolve().parents[2])
        path = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, "-m", "grader.authoring.audit_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(path), "OMP_NUM_THREADS": "1"},
        )
        self._write(msgspec.json.encode(place))

    def ask(self, task: Task) -> Seen:
        """Have one task graded. Raises UsageError or GraderFailed when the process ended."""
        assert self._process.stdout is not None
        self._write(msgspec.json.encode(task))
        line = self._process.stdout.readline()
        if not line:
            raise self._ended(task)
        return msgspec.json.decode(line, type=Seen)

    def __enter__(self) -> GradingProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            # Without a task it leaves by itself and takes its workers along.
            self._process.wait(LEAVING_SECONDS if kind is None else 1.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._said.close()

    def _write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        # A process that ended says so itself: its answer is missing.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()

    def _ended(self, task: Task) -> Exception:
        self._process.wait()
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        last = lines[-1] if lines else f"status {self._process.returncode}"
        name, _, text = last.partition(": ")
        if name.startswith("grader.errors.") and name.endswith(("UsageError", "AssignmentError")):
            return UsageError(text)
        return GraderFailed(f"the process that graded {task.name} ended: {last}")
