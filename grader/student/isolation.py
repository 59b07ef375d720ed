"""Which isolation level holds here, and how workers are started at it."""

from __future__ import annotations

import contextlib
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from grader import assignment
from grader.errors import UsageError
from grader.student import jail
from grader.student.jail import LEVELS, Level
from grader.student.launch import WorkerProcess
from grader.student.zygote import Zygote

if TYPE_CHECKING:
    from grader.student.backend import Worker

AUTO = "auto"


def resolve_level(asked: str = AUTO) -> tuple[Level, tuple[str, ...]]:
    """The level asked for, or the strongest that holds here.

    With it a line for each stronger level: why it does not hold. Raises UsageError for a level
    that does not hold here, or that is none.
    """
    found = jail.probe()
    if asked == AUTO:
        level = jail.strongest(found)
    else:
        level = _named(asked)
        missing = jail.why_not(level, found)
        if missing:
            raise UsageError(
                f"isolation level {level} does not hold here ({missing})",
                f"The strongest that does is {jail.strongest(found)}.",
            )
    stronger = LEVELS[: LEVELS.index(level)]
    lacking = ((name, jail.why_not(name, found)) for name in stronger)
    return level, tuple(f"{name}: {why}" for name, why in lacking if why)


@contextlib.contextmanager
def starter(
    level: Level,
    limits: assignment.Limits,
    hidden: Iterable[str | Path] = (),
    warm: bool = True,
) -> Iterator[Callable[[], Worker]]:
    """A function that starts a worker at `level`, each in a process of its own.

    Entering starts the process that workers are forked from and does not wait for it; `warm` is
    for many submissions, without it the first worker is there sooner. `hidden` are folders that
    a worker must not reach. Leaving ends every worker. Raises GraderFailed.
    """
    if not forks():
        yield lambda: WorkerProcess(jail.plan(level, worker_limits(limits), jail.probe(), hidden))
        return
    with Zygote(level, worker_limits(limits), hidden, warm=warm) as zygote:
        yield zygote.start_worker


def forks() -> bool:
    """Whether workers are forked here: on other systems a fork after importing torch is unsafe."""
    return sys.platform == "linux" and hasattr(os, "pidfd_open")


def worker_limits(limits: assignment.Limits) -> jail.Limits:
    """An assignment's limits as a worker's process has them.

    Processor time only backs up the trusted side's clock, so there is a little more of it.
    """
    return jail.Limits(
        memory=limits.memory_mb << 20,
        cpu_seconds=math.ceil(limits.submission_seconds + limits.load_seconds) + 2,
        file_bytes=limits.files_mb << 20,
    )


def _named(asked: str) -> Level:
    for level in LEVELS:
        if level == asked:
            return level
    raise UsageError(f"there is no isolation level {asked!r}", f"Known: auto, {', '.join(LEVELS)}.")
