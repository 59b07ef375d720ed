"""OUT/results.sqlite: one committed transaction a submission; what is done is never lost.

A result is kept under a key made of the submission's digest, the assignment's, the grader's
version, the seed and the isolation level. Names and addresses stand in one table alone, so that
a person can be erased.
"""

from __future__ import annotations

import contextlib
import getpass
import sqlite3
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from grader.classroom import schema
from grader.errors import GraderFailed, UsageError
from grader.people import Person

if TYPE_CHECKING:
    from grader.classroom.intake import Entry


class Result(msgspec.Struct, frozen=True):
    """A stored result: the whole JSON document and what tables ask for."""

    submission: str
    key: str
    status: str
    score: float
    max_score: float
    document: dict[str, Any]
    graded: float


class Override(msgspec.Struct, frozen=True):
    """A TA's decision: `points` for an exercise, or a name that was rejected."""

    submission: str
    exercise: str
    points: float | None
    rejected: str
    why: str
    who: str
    at: float


class Void(msgspec.Struct, frozen=True):
    """A check taken out for the whole class."""

    check: str
    why: str
    who: str
    at: float


class Store:
    """The results of one class. Use as a context manager; `path` is the OUT folder."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        """Raises UsageError where there is no store, or one that this grader cannot read."""
        self.path = path
        file = path / "results.sqlite"
        if create:
            try:
                path.mkdir(parents=True, exist_ok=True)
                path.chmod(0o700)  # grades and names: nobody else's business
            except OSError as error:
                raise UsageError(f"{path} cannot be written to: {error.strerror}") from None
        elif not file.is_file():
            raise UsageError(f"{path} holds no results", "`grade batch ... -o OUT` makes them.")
        try:
            self._db = sqlite3.connect(file, timeout=30, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute("PRAGMA secure_delete=ON")
            schema.migrate(self._db, path, self._transaction)
        except sqlite3.DatabaseError as error:
            raise UsageError(f"{file} cannot be used: {error}") from None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            self._db.execute("BEGIN IMMEDIATE")
            yield
            self._db.execute("COMMIT")
        except BaseException as error:
            with contextlib.suppress(sqlite3.Error):  # a full disk has rolled it back already
                self._db.execute("ROLLBACK")
            if isinstance(error, sqlite3.OperationalError):
                raise GraderFailed(
                    f"the results in {self.path} cannot be written: {error}",
                    "What was graded before is kept. Make room, and run the same command again.",
                ) from None
            raise

    def note(self, key: str, value: str) -> None:
        """Remember something about the whole class: its assignment, its source."""
        with self._transaction():
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def noted(self, key: str) -> str:
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else ""

    def expect(self, entries: Iterable[Entry]) -> None:
        """Register what was handed in, by whom, and which earlier attempts it replaces."""
        with self._transaction():
            for entry in entries:
                name = entry.id
                self._db.execute(
                    "INSERT INTO submission VALUES (?, ?, ?, ?) ON CONFLICT(id) DO UPDATE "
                    "SET path = excluded.path, late = excluded.late, seen = excluded.seen",
                    (name, _text(entry.path), int(entry.late), time.time()),
                )
                for table in ("person", "superseded"):
                    self._db.execute(f"DELETE FROM {table} WHERE submission = ?", (name,))
                people = [(name, i, *map(_text, msgspec.structs.astuple(one)))
                          for i, one in enumerate(entry.people)]  # fmt: skip
                self._db.executemany("INSERT INTO person VALUES (?, ?, ?, ?, ?)", people)
                earlier = [(name, _text(one)) for one in entry.superseded]
                self._db.executemany("INSERT OR IGNORE INTO superseded VALUES (?, ?)", earlier)

    def done(self, submission: str) -> str:
        """The key of the stored result, or nothing; where the grader failed it is not done."""
        row = self._db.execute(
            "SELECT key FROM result WHERE submission = ? AND status != 'grader_failed'",
            (submission,),
        ).fetchone()
        return row[0] if row else ""

    def save(
        self, submission: str, key: str, document: dict[str, Any], parts: bytes = b""
    ) -> None:
        """Store one result, in one transaction; one that it replaces leaves its score behind."""
        grade = document["grade"]
        now = time.time()
        with self._transaction():
            self._db.execute(
                "INSERT INTO earlier SELECT submission, key, score, max_score, graded, ? "
                "FROM result WHERE submission = ? AND status = 'graded' "
                "AND (key != ? OR score != ?)",
                (now, submission, key, grade["score"]),
            )
            self._db.execute(
                "INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    submission, key, grade["status"], grade["score"], grade["max_score"],
                    msgspec.json.encode(document), now,
                ),
            )  # fmt: skip
            self._db.execute("INSERT OR REPLACE INTO page VALUES (?, ?)", (submission, parts))

    def page_parts(self, submission: str) -> bytes:
        """What its page is made from, as `save` was given it; nothing where that is not known."""
        row = self._db.execute(
            "SELECT parts FROM page WHERE submission = ?", (submission,)
        ).fetchone()
        return row[0] if row else b""

    def result(self, submission: str) -> Result | None:
        row = self._db.execute(
            "SELECT * FROM result WHERE submission = ?", (submission,)
        ).fetchone()
        return _result(row) if row else None

    def results(self) -> Iterator[Result]:
        """All results, by id; of submissions that are still expected."""
        names = [row[0] for row in self._db.execute("SELECT id FROM submission ORDER BY id")]
        for name in names:
            found = self.result(name)
            if found is not None:
                yield found

    def expected(self) -> list[tuple[str, bool]]:
        """(id, late) of everything that was handed in."""
        rows = self._db.execute("SELECT id, late FROM submission ORDER BY id")
        return [(name, bool(late)) for name, late in rows]

    def people(self, submission: str) -> tuple[Person, ...]:
        """Who handed it in, as far as the source said; several for a group."""
        rows = self._db.execute(
            "SELECT id, name, email FROM person WHERE submission = ? ORDER BY place", (submission,)
        )
        return tuple(Person(*row) for row in rows)

    def students(self, submission: str) -> tuple[str, ...]:
        """How lists name those who handed it in."""
        return tuple(person.shown for person in self.people(submission))

    def superseded(self) -> list[tuple[str, str]]:
        """(submission, name in the download) of every earlier attempt that does not count."""
        return self._db.execute("SELECT * FROM superseded ORDER BY submission, name").fetchall()

    def fallen(self) -> list[tuple[str, float, float]]:
        """(id, before, now) where the newest result is lower than the one it replaced."""
        rows = self._db.execute(
            "SELECT r.submission, e.score, r.score FROM result r JOIN earlier e "
            "ON e.submission = r.submission WHERE e.replaced = (SELECT MAX(replaced) FROM earlier "
            "WHERE submission = r.submission) AND r.status = 'graded' AND r.score < e.score "
            "ORDER BY r.submission"
        )
        return [(name, before, now) for name, before, now in rows]

    def override(
        self, submission: str, exercise: str, points: float | None, why: str, rejected: str = ""
    ) -> None:
        """Record a decision; the newest of an exercise holds, the original stays."""
        row = (submission, exercise, points, rejected, why, _who(), time.time())
        with self._transaction():
            self._db.execute("INSERT INTO override VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def overrides(self, submission: str = "") -> list[Override]:
        """All decisions, oldest first; of one submission where it is named."""
        rows = self._db.execute("SELECT * FROM override ORDER BY at, rowid")
        found = [Override(*row) for row in rows]
        return [one for one in found if not submission or one.submission == submission]

    def void(self, check: str, why: str) -> None:
        """Take a check out for everybody."""
        with self._transaction():
            self._db.execute(
                "INSERT OR REPLACE INTO void VALUES (?, ?, ?, ?)", (check, why, _who(), time.time())
            )

    def voids(self) -> list[Void]:
        return [Void(*row) for row in self._db.execute("SELECT * FROM void ORDER BY check_id")]

    def forget(self, submission: str) -> bool:
        """Erase a person: all rows. True where there was something to erase."""
        with self._transaction():
            count = 0
            for table, column in (
                ("submission", "id"), ("person", "submission"), ("result", "submission"),
                ("earlier", "submission"), ("override", "submission"), ("superseded", "submission"),
                ("delivery", "submission"), ("page", "submission"),
            ):  # fmt: skip
                count += self._db.execute(
                    f"DELETE FROM {table} WHERE {column} = ?", (submission,)
                ).rowcount
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._db.execute("VACUUM")
        return count > 0


def _result(row: tuple[Any, ...]) -> Result:
    name, key, status, score, max_score, document, graded = row
    return Result(name, key, status, score, max_score, msgspec.json.decode(document), graded)


def _who() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def _text(path: Path | str) -> str:
    return str(path).encode(errors="replace").decode()
