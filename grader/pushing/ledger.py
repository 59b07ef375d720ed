"""What was sent to whom, and what the platform answered.

A row is committed before its request leaves and again after the answer, each time to the disk
(synchronous=FULL): whatever ends the process in between leaves a row that says "sending". No name
and no address stands in it; `grade forget` erases it with its submission.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from grader.errors import GraderFailed
from grader.pushing.lock import Lock
from grader.pushing.plan import Due
from grader.pushing.retrying import Clock

State = Literal["sending", "sent", "held", "refused", "overtaken"]


class Entry(msgspec.Struct, frozen=True):
    """One delivery to one user.

    `content` is a digest of what decides whether anything changed, `body` what goes over the wire,
    `stamp` its time (seconds since 1970, whole milliseconds). States: "sending": a request may have
    left, and nobody knows what became of it; "sent"; "held": the platform says that it holds this
    one or a newer one; "refused"; "overtaken": another one was sent before this was known.
    """

    number: int
    target: str
    user: str
    submission: str
    score: float
    max_score: float
    content: str
    body: str
    stamp: float
    state: State
    tries: int
    answer: str
    at: float


class Ledger:
    """The deliveries to one target. Use as a context manager."""

    def __init__(self, folder: Path, target: str, clock: Clock) -> None:
        """`folder` is OUT, whose store was opened before and so has today's tables."""
        self.target = target
        self._file = folder / "results.sqlite"
        self._clock = clock
        self._db = sqlite3.connect(self._file, timeout=30, isolation_level=None)
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("PRAGMA secure_delete=ON")
        self._lock = Lock(self._db, clock)

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Inside, no other push of the same results can send. Raises UsageError where one does."""
        with self._transaction():
            self._lock.take()
        try:
            yield
        finally:
            with contextlib.suppress(GraderFailed), self._transaction():
                self._lock.give_back()

    def alive(self) -> None:
        """A sign of life. Raises Hopeless where another push has taken over."""
        with self._transaction():
            self._lock.keep()

    def last(self, user: str) -> Entry | None:
        """The newest delivery to a user; those before it are history."""
        row = self._db.execute(
            "SELECT * FROM delivery WHERE target = ? AND user = ? ORDER BY number DESC LIMIT 1",
            (self.target, user),
        ).fetchone()
        return Entry(*row) if row else None

    def latest(self) -> list[Entry]:
        """The newest delivery to every user, oldest first."""
        rows = self._db.execute(
            "SELECT * FROM delivery WHERE number IN "
            "(SELECT MAX(number) FROM delivery WHERE target = ? GROUP BY user) ORDER BY number",
            (self.target,),
        )
        return [Entry(*row) for row in rows]

    def begin(self, due: Due, content: str, body: str, stamp: float) -> Entry:
        """A new delivery, on the disk before its first request. Raises Hopeless as `alive`."""
        row: tuple[Any, ...] = (
            self.target, due.user, due.mark.id, due.score, due.most, content, body, stamp,
            "sending", 1, "", self._clock.time(),
        )  # fmt: skip
        with self._transaction():
            self._lock.keep()
            self._db.execute(
                "UPDATE delivery SET state = 'overtaken' "
                "WHERE target = ? AND user = ? AND state = 'sending'",
                (self.target, due.user),
            )
            number = self._db.execute(
                "INSERT INTO delivery VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row
            ).lastrowid
        assert number is not None
        return Entry(number, *row)

    def again(self, entry: Entry) -> None:
        """The same delivery is about to be sent once more. Raises Hopeless as `alive`."""
        with self._transaction():
            self._lock.keep()
            self._db.execute(
                "UPDATE delivery SET tries = tries + 1, at = ? WHERE number = ?",
                (self._clock.time(), entry.number),
            )

    def close(self, entry: Entry, state: State, answer: str) -> None:
        """What became of it; `answer` holds no secret."""
        with self._transaction():
            self._db.execute(
                "UPDATE delivery SET state = ?, answer = ?, at = ? WHERE number = ?",
                (state, answer, self._clock.time(), entry.number),
            )

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            self._db.execute("BEGIN IMMEDIATE")
            yield
            self._db.execute("COMMIT")
        except BaseException as error:
            with contextlib.suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise GraderFailed(
                    f"{self._file} cannot be written: {error}",
                    "What was sent before is remembered. Make room, and run the same again.",
                ) from None
            raise
