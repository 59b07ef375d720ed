"""Grade a class: what is done and unchanged is not graded again, and nothing is lost."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

import grader
from grader.assignment import Assignment
from grader.classroom.class_page import write_class_page
from grader.classroom.intake import Entry
from grader.classroom.pages import Pages, take_parts, with_parts
from grader.classroom.pool import Done, Task, path_text, text_path
from grader.classroom.scores import with_decisions
from grader.classroom.store import Store
from grader.classroom.tables import grades_csv, rows_of
from grader.errors import GraderFailed, UnreadableSubmission, UsageError
from grader.grading import Grading
from grader.reading import read_for
from grader.report.build import failed_report
from grader.report.document import bare_document, dump
from grader.report.files import write_atomically
from grader.submission import ReadLimits, Submission

_MOST_HASHED = 64 << 20
_MOST_FILES = 2_000
READ = ReadLimits(follow_link=False)

Hear = Callable[[str, dict[str, Any]], None]


class Runs(Protocol):
    """What grades: children of this process (`Pool`), or the workers of a cluster."""

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]: ...


class Plan(msgspec.Struct, frozen=True):
    """What is to be graded, and what is done already: (entry, key) pairs."""

    to_grade: tuple[tuple[Entry, str], ...]
    done: tuple[tuple[Entry, str], ...]


def plan(
    store: Store,
    assignment: Assignment,
    entries: Sequence[Entry],
    *,
    seed: int,
    isolation: str,
    fresh: bool = False,
) -> Plan:
    """Compare every entry's key with the stored one's."""
    keyed = [(entry, key_of(entry, assignment, seed, isolation)) for entry in entries]
    if fresh:
        return Plan(tuple(keyed), ())
    stored = {entry.id: store.done(entry.id) for entry, _ in keyed}
    return Plan(
        tuple((entry, key) for entry, key in keyed if stored[entry.id] != key),
        tuple((entry, key) for entry, key in keyed if stored[entry.id] == key),
    )


def key_of(entry: Entry, assignment: Assignment, seed: int, isolation: str) -> str:
    """What a verdict depends on, as one digest."""
    parts = (
        content_digest(entry.path),
        assignment.digest,
        grader.__version__,
        str(seed),
        isolation,
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def content_digest(path: Path) -> str:
    """Of a file's bytes, or of a folder's file names and bytes; bounded, and blind to devices."""
    digest = hashlib.sha256()
    files = [path] if not path.is_dir() else sorted(path.rglob("*"))[:_MOST_FILES]
    for file in files:
        with contextlib.suppress(OSError):
            found = file.lstat()
            if not stat.S_ISREG(found.st_mode):
                continue
            name = os.fsencode(file.relative_to(path)) if file != path else b""
            digest.update(name + b"\0" + str(found.st_size).encode() + b"\0")
            if found.st_size > _MOST_HASHED:
                digest.update(str(found.st_mtime_ns).encode())  # it will be refused for its size
            else:
                digest.update(file.read_bytes())
    return digest.hexdigest()


def grade_function(grading: Grading, assignment: Assignment) -> Callable[[Task], dict[str, Any]]:
    """What a trusted child does with a task."""

    def grade(task: Task) -> dict[str, Any]:
        try:
            submission = read_for(text_path(task.path), assignment, READ)
        except UnreadableSubmission as error:
            return grading.unreadable(task.id, error, task.students).document
        named = msgspec.structs.replace(submission, id=task.id)
        return grade_read(grading, named, task.students)

    return grade


def grade_read(grading: Grading, submission: Submission, students: Sequence[str]) -> dict[str, Any]:
    """The document of a submission that was read, with its page's parts."""
    graded = grading.grade(submission, students)
    if graded.report.status == "grader_failed":
        # Once more: what its workers are forked from may have been killed.
        graded = grading.grade(submission, students)
    return with_parts(graded.document, submission.cells, graded.pictures)


def rehearse(grading: Grading, assignment: Assignment) -> None:
    """Grade the model answer in this very process, before children are forked from it.

    What that leaves behind (values of the oracle, starts of trainings, imports) all of them have,
    instead of each making its own.
    """
    with contextlib.suppress(UnreadableSubmission):
        grading.grade(read_for(assignment.oracle, assignment, READ))
    grading.prepare()


def run(
    store: Store,
    assignment: Assignment,
    todo: Sequence[tuple[Entry, str]],
    pool: Runs,
    hear: Hear,
    *,
    isolation: str,
) -> None:
    """Grade `todo`; each result is stored, and its report written, before the next is looked at."""
    keys = {entry.id: key for entry, key in todo}
    limits = assignment.limits
    patience = 4 * (limits.submission_seconds + limits.load_seconds) + 120
    tasks = [Task(entry.id, path_text(entry.path), entry.students, patience) for entry, _ in todo]
    pages = Pages(store)
    for done in pool.run(tasks):
        document = done.document or _failed(assignment, done, isolation)
        parts = take_parts(document)
        store.save(done.id, keys[done.id], document, parts)
        write_report(store, done.id, pages)
        hear(done.id, document)


def count_since(store: Store, todo: Sequence[tuple[Entry, str]], moment: float) -> int:
    """How many of `todo` were stored after `moment` (time.time) with a verdict."""
    results = (store.result(entry.id) for entry, _ in todo)
    return sum(
        one is not None and one.graded >= moment and one.status != "grader_failed"
        for one in results
    )


def _failed(assignment: Assignment, done: Done, isolation: str) -> dict[str, Any]:
    report = failed_report(assignment, done.id, GraderFailed(done.failure), isolation=isolation)
    return bare_document(report)


def write_report(store: Store, name: str, pages: Pages) -> None:
    """OUT/reports/<id>.json and .html as the store has it; left alone where they are so already."""
    result = store.result(name)
    if result is None:
        return
    document = with_decisions(result, store.overrides(name), store.voids())
    data = dump(document)
    file = report_file(store, name)
    file.parent.mkdir(mode=0o700, exist_ok=True)
    if not _holds(file, data):
        write_atomically(file, data)
    pages.write(name, document, data)


def _holds(file: Path, data: bytes) -> bool:
    try:
        return file.read_bytes() == data
    except OSError:
        return False


def report_file(store: Store, name: str) -> Path:
    return store.path / "reports" / f"{name}.json"


def sweep(store: Store) -> None:
    """Remove what a killed command left half written: temporary names begin with a dot."""
    half = (f".{name}.*" for name in ("grades.csv", "index.html"))
    left_behind = [left for pattern in half for left in store.path.glob(pattern)]
    for left in (*left_behind, *(store.path / "reports").glob(".*")):
        left.unlink(missing_ok=True)


def render_all(store: Store) -> list[Path]:
    """All reports, grades.csv and the class page from the store; the paths written for people."""
    sweep(store)
    pages = Pages(store)
    for name, _ in store.expected():
        write_report(store, name, pages)
    exercises = store.noted("exercises").split()
    grades = store.path / "grades.csv"
    write_atomically(grades, grades_csv(rows_of(store), exercises).encode())
    written = [write_class_page(store), grades, store.path / "reports"]
    pages.done()
    return written


def select(entries: Sequence[Entry], only: Sequence[str]) -> Iterator[Entry]:
    """The entries with these ids, or all. Raises UsageError for an id that is not there."""
    known = {entry.id for entry in entries}
    for name in only:
        if name not in known:
            raise UsageError(f"there is no submission with the id {name!r}")
    return (entry for entry in entries if not only or entry.id in only)
