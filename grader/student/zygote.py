"""Workers forked from one warm process: torch is imported once, not once a submission.

The trusted side of `worker/zygote.py`. No torch here: a command starts the zygote first and
imports after, so that the two go on side by side.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import socket
import tempfile
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from grader.errors import GraderFailed
from grader.student.jail import Level, Limits, bubblewrap, plan, probe
from grader.student.launch import HANG_SIGNAL, read_hang_frames, read_last_words
from grader.student.worker import control
from grader.student.worker.messages import Frame
from grader.student.zygote_process import Gone, ZygoteProcess

END_SECONDS: Final = 5.0  # for a killed worker to be gone


class Zygote:
    """A context manager around the process that workers are forked from.

    `hidden` are folders that must stay out of a worker's reach. With `warm=False` it comes up
    faster and each worker is slower: for a single submission. Raises GraderFailed where the
    level does not hold. Start it from a thread that outlives it: the system ends it with that
    thread. `start_worker` may be called from any.
    """

    def __init__(
        self, level: Level, limits: Limits, hidden: Iterable[str | Path] = (), *, warm: bool = True
    ) -> None:
        found = probe()
        self.level = level
        self._plan = plan(level, limits, found, hidden).as_message()
        self._prefix = bubblewrap.prefix(found.jail_users) if level == "jail" else []
        self._warm = warm
        self._running: ZygoteProcess | None = None
        self._open = False
        self._workers: set[ForkedWorker] = set()
        self._lock = threading.RLock()

    def __enter__(self) -> Zygote:
        self._open = True
        self._launch()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The process started for it (bubblewrap's own at level `jail`); None if there is none."""
        return self._running.pid if self._running is not None else None

    def start_worker(self) -> ForkedWorker:
        """A worker that is coming up; several may run at once.

        A zygote that died is replaced once. Raises GraderFailed if that dies too, or if none
        comes up.
        """
        with self._lock:
            try:
                return self._fork()
            except Gone:
                self._stop()
            try:
                return self._fork()
            except Gone as gone:
                self._stop()
                why = f"the process that workers are forked from ended twice: {gone}"
                raise GraderFailed(why, "Run `grade doctor`.") from None

    def close(self) -> None:
        """End it and its workers; nothing of them is left."""
        with self._lock:
            self._open = False
            for worker in tuple(self._workers):
                worker.close()
            self._stop()

    def _launch(self) -> ZygoteProcess:
        self._running = ZygoteProcess(self._prefix, self._warm)
        return self._running

    def _stop(self) -> None:
        if self._running is not None:
            self._running.close()
            self._running = None

    def _fork(self) -> ForkedWorker:
        if not self._open:
            raise GraderFailed("a worker was asked for outside of the zygote's `with` block")
        running = self._running or self._launch()
        try:
            worker = ForkedWorker(running, self._plan, self._workers.discard)
        except GraderFailed:
            if not running.up:
                self._stop()
            raise
        self._workers.add(worker)
        return worker


class ForkedWorker:
    """One worker and the socket to it. It is known by a descriptor, so never mistaken."""

    def __init__(
        self,
        running: ZygoteProcess,
        plan: dict[str, Any],
        on_close: Callable[[ForkedWorker], None],
    ) -> None:
        self._running = running
        self._on_close = on_close
        self._status: int | None = None
        self._closed = False
        # At level `process` a worker may write files, so each gets a folder of its own.
        self._group = plan["level"] == "process"
        self._home = tempfile.mkdtemp(prefix="grader-") if self._group else ""
        self.connection, theirs = socket.socketpair()
        self._hang_log, words = os.pipe()
        os.set_blocking(self._hang_log, False)
        self._pidfd = -1
        try:
            with theirs:
                request = control.Spawn(plan, self._home)
                reply, fds = running.ask(request, [theirs.fileno(), words])
        except BaseException:
            self._forget()
            raise
        finally:
            os.close(words)
        if not isinstance(reply, control.Forked) or len(fds) != 1:
            for fd in fds:
                os.close(fd)
            self._forget()
            why = reply.why if isinstance(reply, control.Failed) else "an answer out of turn"
            raise GraderFailed(f"no worker could be forked: {why}")
        self._pid = reply.pid
        self._pidfd = fds[0]

    def exit_code(self) -> int | None:
        """The status of a process that ended, waiting a moment for one that is ending.

        Raises GraderFailed if what it was forked from is gone: then it went with it, and that is
        no doing of the student's.
        """
        if self._status is None and self._pidfd >= 0 and self._ended(0.5):
            try:
                reply, _ = self._running.ask(control.Reap(self._pid), [])
            except Gone as gone:
                why = f"the process that workers are forked from ended: {gone}"
                raise GraderFailed(why) from None
            if isinstance(reply, control.Reaped):
                self._status = reply.status
        return self._status

    def hang_frames(self, files: frozenset[str]) -> list[Frame]:
        """The student's lines on the stack when a call overran in C, outermost first."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            signal.pidfd_send_signal(self._pidfd, HANG_SIGNAL)
        return read_hang_frames(self._hang_log, files)

    def last_words(self) -> str:
        """The last line that a worker wrote before it served, if it failed to start."""
        return read_last_words(self._hang_log)

    def close(self) -> None:
        """Kill it, and with it, in a jail, everything in its namespace; remove what it wrote."""
        if self._closed:
            return
        self._closed = True
        # Without the first, its number may be somebody else's by now, and so may its group's.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
            if self._group:  # at this level the student's code may have started processes
                os.killpg(self._pid, signal.SIGKILL)
        self._ended(END_SECONDS)
        with contextlib.suppress(GraderFailed):
            self.exit_code()
        self._forget()
        self._on_close(self)

    def _ended(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self._pidfd, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def _forget(self) -> None:
        self.connection.close()
        os.close(self._hang_log)
        if self._pidfd >= 0:
            os.close(self._pidfd)
            self._pidfd = -1
        if self._home:
            shutil.rmtree(self._home, ignore_errors=True)
