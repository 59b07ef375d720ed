"""One sender at a time: a row in the store that says who is sending.

On the same machine a sender that is gone (killed, power) is told by its process; one on another
machine (OUT on a network drive) by its silence.
"""

from __future__ import annotations

import os
import socket
import sqlite3
import uuid
from pathlib import Path

from grader.errors import UsageError
from grader.pushing.faults import Hopeless
from grader.pushing.retrying import MOST_ASKED, Clock

SILENCE = 3 * MOST_ASKED  # seconds; no sender is quiet for so long, however long it has to wait


class Lock:
    """All methods are called inside a transaction of `db`."""

    def __init__(self, db: sqlite3.Connection, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._token = uuid.uuid4().hex

    def take(self) -> None:
        """Raises UsageError where another sender is at work."""
        now = self._clock.time()
        row = self._db.execute(
            "SELECT machine, pid, born, since, seen FROM sender WHERE one = 1"
        ).fetchone()
        if row is not None:
            machine, pid, born, since, seen = row
            if _at_work(machine, pid, born, now - seen):
                host = machine.split("\n")[0]
                raise UsageError(
                    f"another push is sending these results (process {pid} on {host}, "
                    f"for {max(now - since, 0):.0f} s)",
                    "Wait until it is done. If that machine is gone, it is free again "
                    f"{SILENCE / 60:.0f} minutes after its last sign of life.",
                )
        mine = (self._token, _machine(), os.getpid(), _born(os.getpid()), now, now)
        self._db.execute("INSERT OR REPLACE INTO sender VALUES (1, ?, ?, ?, ?, ?, ?)", mine)

    def keep(self) -> None:
        """A sign of life, before each request. Raises Hopeless where another took over."""
        kept = self._db.execute(
            "UPDATE sender SET seen = ? WHERE one = 1 AND token = ?",
            (self._clock.time(), self._token),
        )
        if kept.rowcount != 1:
            raise Hopeless("another push has taken over, because this one was silent for so long")

    def give_back(self) -> None:
        self._db.execute("DELETE FROM sender WHERE one = 1 AND token = ?", (self._token,))


def _at_work(machine: str, pid: int, born: str, silent: float) -> bool:
    if machine != _machine():
        return silent < SILENCE
    if not _exists(pid):
        return False
    # A number is given to a new process some day; where births are not known, silence decides.
    return born == _born(pid) if born else silent < SILENCE


def _machine() -> str:
    """This machine since it was started, and what process numbers count in."""
    parts = [socket.gethostname()]
    try:
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
        parts.append(os.readlink("/proc/self/ns/pid"))
    except OSError:
        pass  # not Linux
    return "\n".join(parts)


def _exists(pid: int) -> bool:
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _born(pid: int) -> str:
    """When a process began, in its machine's ticks; empty where nobody knows, or it is dead."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]
