"""The tables of OUT/results.sqlite, and how those of an older grader become today's."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from grader.errors import UsageError

_CLASS = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE submission (
    id TEXT PRIMARY KEY, path TEXT NOT NULL, late INTEGER NOT NULL DEFAULT 0, seen REAL NOT NULL
);
CREATE TABLE person (
    submission TEXT NOT NULL, place INTEGER NOT NULL,
    id TEXT NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL, PRIMARY KEY (submission, place)
);
CREATE TABLE superseded (
    submission TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (submission, name)
);
CREATE TABLE result (
    submission TEXT PRIMARY KEY, key TEXT NOT NULL, status TEXT NOT NULL,
    score REAL NOT NULL, max_score REAL NOT NULL, document BLOB NOT NULL, graded REAL NOT NULL
);
CREATE TABLE earlier (
    submission TEXT NOT NULL, key TEXT NOT NULL, score REAL NOT NULL, max_score REAL NOT NULL,
    graded REAL NOT NULL, replaced REAL NOT NULL
);
CREATE TABLE override (
    submission TEXT NOT NULL, exercise TEXT NOT NULL, points REAL,
    rejected TEXT NOT NULL DEFAULT '',
    why TEXT NOT NULL, who TEXT NOT NULL, at REAL NOT NULL
);
CREATE TABLE void (
    check_id TEXT PRIMARY KEY, why TEXT NOT NULL, who TEXT NOT NULL, at REAL NOT NULL
);
"""
# What `grade push` sent (grader.pushing.ledger), and who is sending (grader.pushing.lock).
_SENT = """
CREATE TABLE delivery (
    number INTEGER PRIMARY KEY, target TEXT NOT NULL, user TEXT NOT NULL, submission TEXT NOT NULL,
    score REAL NOT NULL, max_score REAL NOT NULL, content TEXT NOT NULL, body TEXT NOT NULL,
    stamp REAL NOT NULL, state TEXT NOT NULL, tries INTEGER NOT NULL, answer TEXT NOT NULL,
    at REAL NOT NULL
);
CREATE INDEX delivery_to ON delivery (target, user);
CREATE TABLE sender (
    one INTEGER PRIMARY KEY CHECK (one = 1), token TEXT NOT NULL, machine TEXT NOT NULL,
    pid INTEGER NOT NULL, born TEXT NOT NULL, since REAL NOT NULL, seen REAL NOT NULL
);
"""
# What a student's page is made from besides the document (grader.classroom.pages).
_PAGE = """
CREATE TABLE page (submission TEXT PRIMARY KEY, parts BLOB NOT NULL);
"""
# From a version: what to do, and the version after it.
_STEPS = {0: (_CLASS, 2), 2: (_SENT, 3), 3: (_PAGE, 4)}
VERSION = 4


def migrate(
    db: sqlite3.Connection, path: Path, transaction: Callable[[], AbstractContextManager[None]]
) -> None:
    """Bring a database to today's tables, each step in one transaction.

    Raises UsageError for one of a version that this grader does not know.
    """
    while (version := _version(db)) != VERSION:
        if version not in _STEPS:
            raise UsageError(
                f"{path} was written by another version of the grader (schema {version})"
            )
        with transaction():
            if _version(db) != version:
                continue  # another process was quicker
            statements, after = _STEPS[version]
            for statement in statements.split(";"):
                if statement.strip():
                    db.execute(statement)
            db.execute(f"PRAGMA user_version = {after}")


def _version(db: sqlite3.Connection) -> int:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return int(version)
