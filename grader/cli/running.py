"""Start workers while the rest of the program is still being imported."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from grader.assignment import Limits
from grader.student.isolation import resolve_level, starter
from grader.student.jail import probe

if TYPE_CHECKING:
    from grader.student.backend import Worker


@contextlib.contextmanager
def no_collection() -> Iterator[None]:
    """No garbage collection while much is imported (a tenth of the time), nor of it ever after."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


class Starting:
    """Workers at an isolation level. What they are forked from comes up beside this process.

    Make it before torch is imported: then the two import it side by side. (In a thread of its
    own it would get nothing done while the other one imports.)
    """

    def __init__(
        self, asked: str, limits: Limits, hidden: Sequence[Path], warm: bool, in_process: bool
    ) -> None:
        self.level = asked
        self.reasons: tuple[str, ...] = ()
        self._start: Callable[[], Worker] | None = None
        self._stack = contextlib.ExitStack()
        if not in_process:
            self.level, self.reasons = resolve_level(asked)
            # Without Landlock a confined worker opens no file at all: what it will need has to be
            # imported before.
            warm = warm or (self.level == "confined" and bool(probe().layers["landlock"]))
            entered = starter(self.level, limits, hidden, warm=warm)
            self._start = self._stack.enter_context(entered)

    def worker(self) -> Worker:
        """A fresh worker. Raises GraderFailed."""
        assert self._start is not None, "in-process grading starts no worker"
        return self._start()

    def close(self) -> None:
        """End every worker."""
        self._stack.close()


@contextlib.contextmanager
def starting(
    asked: str,
    limits: Limits,
    hidden: Sequence[Path],
    *,
    warm: bool = False,
    in_process: bool = False,
) -> Iterator[Starting]:
    """Workers at the level asked for, ended on the way out whatever happens.

    `warm` is for many submissions; `in_process` starts none.
    """
    found = Starting(asked, limits, hidden, warm, in_process)
    try:
        yield found
    finally:
        found.close()
