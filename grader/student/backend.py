"""A backend answers requests on one loaded submission; this one does it in a worker process."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Protocol

import msgspec

from grader.errors import GraderFailed
from grader.student.handles import calls_behind
from grader.student.worker import messages as m
from grader.student.worker.wire import (
    CannotDecode,
    Closed,
    Codec,
    FrameTooLarge,
    read_frame,
    send_frame,
)

GRACE = 1.0  # seconds beyond a call's own limit before its process is ended
START_SECONDS = 120.0  # for a worker to come up and import torch
MOST_SKIPPED = 3  # top-level statements that may each kill a worker
MOST_NOTES = 50  # on loading, whatever a worker sends
MOST_FUNCTIONS = 2_000
KEPT_CALLS = 400  # as many as a worker keeps the graphs of


class Worker(Protocol):
    """A running worker process, however it was started."""

    connection: socket.socket

    def exit_code(self) -> int | None: ...
    def last_words(self) -> str: ...
    def hang_frames(self, files: frozenset[str]) -> list[m.Frame]: ...
    def close(self) -> None: ...


class Backend(Protocol):
    """Answers requests on one submission. Student faults are answers, never exceptions."""

    @property
    def isolation(self) -> str: ...
    def load(self) -> m.Loaded: ...
    def call(self, request: m.Call) -> m.Answer: ...
    def backward(self, request: m.Backward) -> m.Gradients: ...
    def close(self) -> None: ...


class Budget:
    """The seconds that one submission may take, whichever of its workers takes them."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.left = seconds


class WorkerBackend:
    """Runs one submission in a worker; after death or a time-out the next call gets a new one.

    `start` gives a fresh worker. `budget` bounds the sum of all calls; workers may share one.
    """

    def __init__(
        self,
        start: Callable[[], Worker],
        load: m.Load,
        budget: Budget | None = None,
        isolation: str = "process",
    ) -> None:
        self._start = start
        self._load = load
        self._codec = Codec()
        self._worker: Worker | None = None
        self._budget = budget or Budget(60.0)
        self._at: m.Progress | None = None
        self._called: dict[str, int] = {}  # which call it was on the worker of the moment
        self.isolation = isolation

    def load(self) -> m.Loaded:
        """Start a worker and load the submission into it.

        A top-level statement that kills the worker or never ends is skipped in a new one.
        Raises GraderFailed if no worker comes up.
        """
        notes: list[m.LoadNote] = []
        for _ in range(MOST_SKIPPED + 1):
            self._worker = self._start()
            self._called.clear()
            self._wait_until_ready(self._worker)
            self._at = None
            reply = self._ask(self._load, self._load.total_seconds + GRACE)
            if isinstance(reply, m.Loaded):
                return msgspec.structs.replace(
                    reply,
                    functions=reply.functions[:MOST_FUNCTIONS],
                    notes=notes + reply.notes[:MOST_NOTES],
                )
            self.close()
            why = reply.message if isinstance(reply, m.Raised) else "it answered out of turn"
            at = self._at
            if at is None:
                notes.append(m.LoadNote("load_died", why))
                break
            notes.append(m.LoadNote("load_died", why + "; skipped", at.filename, at.line))
            self._load = msgspec.structs.replace(self._load, skip=[*self._load.skip, at.number])
        return m.Loaded(functions=[], notes=notes)

    def _wait_until_ready(self, worker: Worker) -> None:
        try:
            reply = self._codec.reply(
                read_frame(worker.connection, time.monotonic() + START_SECONDS, most=10_000)
            )
        except (Closed, TimeoutError, CannotDecode) as error:
            worker.exit_code()
            why = worker.last_words() or str(error) or type(error).__name__
            self.close()
            raise GraderFailed(f"no worker came up: {why}", "Run `grade doctor`.") from None
        if not isinstance(reply, m.Ready):
            raise GraderFailed("a worker came up with a word that is not its first")

    def call(self, request: m.Call) -> m.Answer:
        """What happened in one call."""
        if self._budget.left <= 0:
            return m.Answer(request.id, raised=self._used_up())
        behind = calls_behind(request)
        if behind and (self._worker is None or not behind <= self._called.keys()):
            why = "the process that held one of its arguments has ended"
            return m.Answer(request.id, raised=m.Raised("HandleLost", [], why, []))
        started = time.monotonic()
        reply = self._ask(request, request.seconds + GRACE)
        self._budget.left -= time.monotonic() - started
        if isinstance(reply, m.Answer) and reply.id == request.id:
            self._called[request.id] = len(self._called)
            return reply
        return m.Answer(request.id, raised=self._fault(reply))

    def backward(self, request: m.Backward) -> m.Gradients:
        """Gradients of an earlier call; a call of a worker that is gone has none.

        Raises GraderFailed where so many calls were made since that its graph is no longer kept.
        """
        number = self._called.get(request.call)
        if number is None:
            why = "the process that made this call has ended"
            return m.Gradients(request.id, raised=m.Raised("Died", [], why, []))
        if number < len(self._called) - KEPT_CALLS:
            raise GraderFailed(f"the graph of a call is kept for {KEPT_CALLS} more, no longer")
        if self._budget.left <= 0:
            return m.Gradients(request.id, raised=self._used_up())
        started = time.monotonic()
        reply = self._ask(request, request.seconds + GRACE)
        self._budget.left -= time.monotonic() - started
        if isinstance(reply, m.Gradients) and reply.id == request.id:
            return reply
        return m.Gradients(request.id, raised=self._fault(reply))

    def record(self, request: m.Record) -> m.Recorded:
        """The tape of several calls in a row."""
        if self._budget.left <= 0:
            return m.Recorded(request.id, raised=self._used_up())
        started = time.monotonic()
        reply = self._ask(request, request.seconds + GRACE)
        self._budget.left -= time.monotonic() - started
        if isinstance(reply, m.Recorded) and reply.id == request.id:
            return reply
        return m.Recorded(request.id, raised=self._fault(reply))

    def close(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def _used_up(self) -> m.Raised:
        text = f"the {self._budget.seconds:g} s for the whole submission were used up"
        return m.Raised("SubmissionTimeLimit", [], text, [])

    def _fault(self, reply: m.Reply | m.Raised) -> m.Raised:
        if isinstance(reply, m.Raised):
            return reply
        self.close()
        return m.Raised("Garbled", [], "the answer belongs to no question that was asked", [])

    def _ask(self, request: m.Request, seconds: float) -> m.Reply | m.Raised:
        if self._worker is None:
            loaded = self.load()
            if self._worker is None:
                why = loaded.notes[0].message if loaded.notes else "the process ended"
                return m.Raised("Died", [], why, [])
        worker = self._worker
        try:
            send_frame(worker.connection, self._codec.encode(request), seconds)
            deadline = time.monotonic() + seconds
            while True:
                reply = self._codec.reply(read_frame(worker.connection, deadline))
                if not isinstance(reply, m.Progress):
                    return reply
                self._at = reply
        except Closed:
            try:
                raised = m.Raised("Died", [], _death(worker.exit_code()), [])
            except GraderFailed:  # not the student's death: the next call gets a new worker
                self.close()
                raise
        except TimeoutError:
            frames = self._known(worker.hang_frames(self._files()))
            raised = m.Raised("TimeLimit", [], "no answer in time, so it was stopped", frames)
        except FrameTooLarge as error:
            raised = m.Raised("AnswerTooLarge", [], str(error), [])
        except CannotDecode as error:
            raised = m.Raised("Garbled", [], str(error)[:300], [])
        self.close()
        return raised

    def _files(self) -> frozenset[str]:
        return frozenset(cell.filename for cell in self._load.cells)

    def _known(self, frames: list[m.Frame]) -> list[m.Frame]:
        """Those of lines that there are: the worker may have written any."""
        sources = {cell.filename: cell.source for cell in self._load.cells}
        return [f for f in frames if 1 <= f.line <= len(sources[f.filename].splitlines())]


def _death(code: int | None) -> str:
    if code is None:
        return "the process closed its connection"
    if code < 0:
        return f"the process was ended by signal {-code}"
    return f"the process ended itself with status {code}"
