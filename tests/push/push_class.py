"""An invented class in a store, a clock that does not wait, and the command in this process."""

from __future__ import annotations

import os
import time
from pathlib import Path

from msgspec import structs

from grader.classroom.intake.records import Entry
from grader.classroom.store import Store
from grader.cli.push import run
from grader.people import Person
from grader.pushing.retrying import Clock
from grader.report.exporters import mark_of
from tests.lms.lms_class import document

TITLE = "Nets by hand, part 1"


class FastClock(Clock):
    """Waiting makes it late, and takes no time."""

    def __init__(self):
        self.slept = []
        self.ahead = 0.0

    def time(self):
        return time.time() + self.ahead

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.ahead += seconds

    def jitter(self):
        return 0.5


def mark(name, *people, score=5, status="graded"):
    return structs.replace(mark_of(document(name, score, status=status)), people=people)


def make_class(out: Path, scores, *, layout="", people=None, statuses=None, late=()):
    """OUT with a submission s<n> of person <n> for every score."""
    with Store(out, create=True) as store:
        store.note("assignment", "nets")
        store.note("title", TITLE)
        store.note("layout", layout)
        entries = []
        for n in range(1, len(scores) + 1):
            who = (people or {}).get(n, (Person(f"{n}", f"Made {n}", f"made{n}@invented.example"),))
            entries.append(Entry(f"s{n}", out, who, late=n in late))
        store.expect(entries)
        for entry, score in zip(entries, scores, strict=True):
            if score is not None:
                status = (statuses or {}).get(entry.id, "graded")
                store.save(entry.id, "key", document(entry.id, score, status=status))
    return out


def regrade(out: Path, submission: str, score: float, status="graded"):
    with Store(out) as store:
        store.save(submission, "other key", document(submission, score, status=status))


def page_for(out: Path, submission: str, text="<p>well done</p>"):
    (out / "reports").mkdir(exist_ok=True)
    (out / "reports" / f"{submission}.html").write_text(text)


def push(kind: str, config: Path, out: Path, clock=None, dry_run=False, again=()) -> int:
    return run(kind, config, out, dry_run=dry_run, clock=clock or FastClock(), again=again)


def killed_at(fake, number: int, strike, call) -> bool:
    """Run `call` in a process of its own that is killed (kill -9) at a request; whether it was."""
    fake.strikes = {len(fake.asked) + number: strike}
    fake.victim = 0
    go = os.pipe()
    child = os.fork()
    if child == 0:
        os.read(go[0], 1)
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            call()
        finally:
            os._exit(0)
    fake.victim = child
    os.write(go[1], b"x")
    _, status = os.waitpid(child, 0)
    for end in go:
        os.close(end)
    fake.strikes = {}
    fake.victim = 0
    return os.WIFSIGNALED(status)


def states(out: Path):
    """(user, state) of everything in the ledger, oldest first."""
    import sqlite3

    with sqlite3.connect(out / "results.sqlite") as db:
        return db.execute("SELECT user, state FROM delivery ORDER BY number").fetchall()
