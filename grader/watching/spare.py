"""Workers that come up before anybody asks for them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from grader.student.backend import Worker


class Spares:
    """Keeps `ahead` workers coming up while nothing else is to be done.

    For systems where each worker imports torch for itself; where they are forked from a process
    that did, `ahead` is 0 and this only passes on. `start` begins a worker and does not wait.
    """

    def __init__(self, start: Callable[[], Worker], ahead: int) -> None:
        self._start = start
        self._ahead = ahead
        self._waiting: deque[Worker] = deque()
        self.used = False  # whether one that had waited was handed out since the last refill

    def worker(self) -> Worker:
        """The one that has waited longest, else one that begins now."""
        if not self._waiting:
            return self._start()
        self.used = True
        return self._waiting.popleft()

    def refill(self) -> None:
        """Begin as many as are missing."""
        self.used = False
        while len(self._waiting) < self._ahead:
            self._waiting.append(self._start())

    def close(self) -> None:
        """End those that wait."""
        while self._waiting:
            self._waiting.popleft().close()
