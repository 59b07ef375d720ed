"""Start workers while the rest of the program is still being imported."""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from grader.assignment import Limits

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
    """Workers at an isolation level; what starts them comes up in a thread of its own.

    The thread lives as long as they do: the system ends a zygote with the thread that started it.
    """

    def __init__(
        self, asked: str, limits: Limits, hidden: Sequence[Path], warm: bool, in_process: bool
    ) -> None:
        self.level = asked
        self.reasons: tuple[str, ...] = ()
        self._start: Callable[[], Worker] | None = None
        self._error: BaseException | None = None
        self._known = threading.Event()
        self._over = threading.Event()
        self._thread = threading.Thread(
            target=self._live, args=(asked, limits, hidden, warm), daemon=True
        )
        if in_process:
            self._known.set()
        else:
            self._thread.start()

    def _live(self, asked: str, limits: Limits, hidden: Sequence[Path], warm: bool) -> None:
        from grader.student.isolation import resolve_level, starter

        try:
            self.level, self.reasons = resolve_level(asked)
            with starter(self.level, limits, hidden, warm=warm) as self._start:
                self._known.set()
                self._over.wait()
        except BaseException as error:
            self._error = error
        finally:
            self._known.set()

    def wait(self) -> None:
        """Until the level is known. Raises what went wrong: UsageError, GraderFailed."""
        self._known.wait()
        if self._error is not None:
            raise self._error

    def worker(self) -> Worker:
        """A fresh worker. Raises GraderFailed."""
        self.wait()
        assert self._start is not None
        return self._start()

    def wait_until_up(self) -> None:
        """Until a worker can be had. Raises what went wrong.

        Before forking a process that is to have workers from here: what is heard once, a fork
        made earlier would wait for in vain.
        """
        self.worker().close()

    def close(self) -> None:
        """End every worker."""
        self._over.set()
        if self._thread.ident is not None:
            self._thread.join()


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
