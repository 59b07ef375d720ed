"""One grading session in which hostile and honest submissions take turns, as in a class of many.

Everything that an attack may not touch is real here: a folder with a secret, an environment
variable, loopback services, the model answer on disk. After each submission all of it is looked at.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import queue
import re
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from grader.assignment import Assignment, load_assignment
from grader.checking.collection import Bench, Check, with_checks
from grader.grading import Graded, Grading
from grader.report.document import dump, without_times
from grader.student.backend import Worker
from grader.student.isolation import starter
from grader.student.jail import Level
from grader.submission import read_submission

ROOT = Path(__file__).resolve().parents[2]
ATTACKS = Path(__file__).resolve().parent / "attacks"
HONEST = ROOT / "solutions" / "xor_by_hand" / "reference.py"
SECRET = "canary-7f3a91c5e2"
VARIABLE = "GRADE_TEST_SECRET"
# One exercise of each kind of call is enough to see whether a neighbour was harmed.
NEIGHBOURS = ("relu", "sgd")
# Does nothing and says nothing: what the checks give for that is no attack's doing.
IDLE = """
def relu(x): pass
def logistic(x): pass
def cross_entropy(y_pred, y): pass
def forward(X, W1, b1, W2, b2): pass
def sgd(params, lr=0.1): pass
def init_params(hidden=20): pass
def train(params, X, Y, epochs=100, lr=0.1): pass
"""
# Short enough to be quick; only attacks that mean to overrun are graded with it.
IMPATIENT = """
call_seconds = 0.5
submission_seconds = 3.5
load_seconds = 3.0
statement_seconds = 0.5
memory_mb = 1024
files_mb = 16
output_kb = 100
"""


class Canary:
    """What must not be touched, and a record of whether it was."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "canary"
        self.folder.mkdir()
        self.secret = self.folder / "secret.txt"
        self.secret.write_text(SECRET, encoding="utf-8")
        # As open as can be: if it stays as it was, isolation kept it so, not its owner.
        self.folder.chmod(0o777)
        self.secret.chmod(0o666)
        self.callers: list[str] = []
        self._open = True
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self.port = self._tcp.getsockname()[1]
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", self.port))
        self.abstract = f"\0grader-canary-{os.getpid()}-{id(self)}"
        self._unix = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._unix.bind(self.abstract)
        self._threads = [
            threading.Thread(target=self._listen, args=pair, daemon=True)
            for pair in (("tcp", self._tcp), ("udp", self._udp), ("unix", self._unix))
        ]
        for thread in self._threads:
            thread.start()

    def _listen(self, name: str, listener: socket.socket) -> None:
        while self._open:
            try:
                listener.settimeout(0.5)
                if name == "tcp":
                    listener.accept()[0].close()
                else:
                    listener.recv(100)
            except TimeoutError:
                continue
            except OSError:
                return
            self.callers.append(name)

    def state(self) -> dict[str, tuple[int, str]]:
        return snapshot(self.folder)

    def close(self) -> None:
        self._open = False
        for thread in self._threads:
            thread.join()
        for listener in (self._tcp, self._udp, self._unix):
            listener.close()


def snapshot(folder: Path) -> dict[str, tuple[int, str]]:
    """Mode and digest of everything in `folder`, by name."""
    found = {".": (folder.stat().st_mode, "")}
    for path in sorted(folder.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        found[str(path.relative_to(folder))] = (
            path.lstat().st_mode,
            hashlib.sha256(data).hexdigest(),
        )
    return found


@dataclass
class Attack:
    """A file of `attacks/` and what its header says must come of it.

    Headers: `attack:` what it tries; `right:` exercises that are honestly right; `earns:` points of
    one that is right in part; `bug:` slugs as `exercise: slug`; `says:` a text that the report must
    hold; `review:` yes where a human must be asked; `limits: short` for what overruns; `levels:`
    where alone it is tried; `quick: yes` for the few that are tried at level `process` every time.
    """

    path: Path
    source: str
    headers: dict[str, list[str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.path.stem

    def all(self, key: str) -> list[str]:
        return self.headers.get(key, [])

    def exercises(self) -> tuple[str, ...]:
        """Those that the source speaks of; () is all, as for one that speaks of none."""
        if "all" in self.words("right"):
            return ()
        names = ("relu", "logistic", "cross_entropy", "forward", "sgd", "init_params", "train")
        return tuple(name for name in names if re.search(rf"\b{name}\b", self.source))

    def earns(self, exercise: str) -> float:
        """What is honestly right about it, in points."""
        found = [line.split()[1] for line in self.all("earns") if line.split()[0] == exercise]
        return float(found[0]) if found else 0.0

    def words(self, key: str) -> list[str]:
        return [word for line in self.all(key) for word in line.split()]


def read_attack(path: Path) -> Attack:
    source = path.read_text(encoding="utf-8", errors="surrogateescape")
    headers: dict[str, list[str]] = {}
    for line in source.splitlines():
        match = re.match(r"# (attack|right|earns|bug|says|review|limits|levels|quick): (.*)", line)
        if match is None:
            break
        headers.setdefault(match[1], []).append(match[2].strip())
    return Attack(path, source, headers)


@dataclass
class Seen:
    """One graded submission, and what else was different afterwards."""

    graded: Graded
    seconds: float
    survivors: dict[int, str]
    before: list[dict[str, tuple[int, str]]]
    after: list[dict[str, tuple[int, str]]]
    callers: list[str]

    @property
    def report(self) -> Any:
        return self.graded.report

    @property
    def scores(self) -> dict[str, float]:
        return {entry.name: entry.score for entry in self.report.exercises}

    @property
    def document(self) -> str:
        return dump(self.graded.document).decode()


class Session:
    """Grades submissions of one assignment one after the other with workers of one level."""

    def __init__(
        self, folder: Path, level: Level, start: Callable[[], Worker], canary: Canary,
        limits: str = "",
    ) -> None:  # fmt: skip
        self.folder = Path(tempfile.mkdtemp(dir=folder))
        self.level = level
        self.canary = canary
        self.assignment = copied_assignment(self.folder, limits)
        self._start = start
        self._jobs: queue.Queue[tuple[Path, tuple[str, ...], queue.Queue[Any]] | None]
        self._jobs = queue.Queue()
        self._thread = threading.Thread(target=self._run)
        self._collected = threading.Event()
        self._count = 0
        self._thread.start()
        # One after the other: pytest collects in one thread at a time.
        self._collected.wait(60)

    def _run(self) -> None:
        try:
            with_checks(self.assignment, self._serve)
        except BaseException as error:
            self._collected.set()
            while (job := self._jobs.get()) is not None:
                job[2].put(error)

    def _serve(self, checks: list[Check], bench: Bench, config: pytest.Config) -> None:
        self._collected.set()
        gradings: dict[tuple[str, ...], Grading] = {}
        while (job := self._jobs.get()) is not None:
            path, only, answer = job
            try:
                if only not in gradings:
                    gradings[only] = Grading(
                        self.assignment,
                        checks,
                        bench,
                        config,
                        start_worker=self._start,
                        isolation=self.level,
                        only=only,
                    )
                answer.put(gradings[only].grade(read_submission(path)))
            except BaseException as error:
                answer.put(error)

    def grade(
        self, source: str | bytes, name: str = "answer.py", only: tuple[str, ...] = ()
    ) -> Seen:
        """Grade one submission and look at everything that it should have left alone."""
        self._count += 1
        place = self.folder / f"submission-{self._count}"
        place.mkdir()
        path = place / name
        text = source.encode("utf-8", "surrogateescape") if isinstance(source, str) else source
        path.write_bytes(self.filled(text))
        return self.grade_path(path, only)

    def grade_path(self, path: Path, only: tuple[str, ...]) -> Seen:
        before, untouched = descendants(os.getpid()), self.untouched()
        callers = len(self.canary.callers)
        answer: queue.Queue[Any] = queue.Queue()
        started = time.monotonic()
        self._jobs.put((path, only, answer))
        graded = answer.get(timeout=120)
        seconds = time.monotonic() - started
        if isinstance(graded, BaseException):
            raise graded
        survivors = {
            pid: name for pid, name in descendants(os.getpid()).items() if pid not in before
        }
        return Seen(
            graded, seconds, survivors, untouched, self.untouched(), self.canary.callers[callers:]
        )

    def untouched(self) -> list[dict[str, tuple[int, str]]]:
        """The canary's folder, the solutions and the assignment, as they are now."""
        own = self.folder / "solutions", self.folder / "assignments"
        return [self.canary.state(), *map(snapshot, own)]

    def filled(self, source: bytes) -> bytes:
        """The attack with what its author could have guessed or found out."""
        places = {
            b"@CANARY@": os.fsencode(self.canary.folder),
            b"@SOLUTIONS@": os.fsencode(self.folder / "solutions" / "xor_by_hand"),
            b"@ASSIGNMENT@": os.fsencode(self.assignment.path),
            b"@ABSTRACT@": self.canary.abstract[1:].encode(),
            b"@PORT@": str(self.canary.port).encode(),
            b"@PID@": str(os.getpid()).encode(),
            b"# @HONEST@": HONEST.read_bytes(),
        }
        for mark, value in places.items():
            source = source.replace(mark, value)
        return source

    def close(self) -> None:
        self._jobs.put(None)
        self._thread.join()


def copied_assignment(folder: Path, limits: str) -> Assignment:
    """A copy of the assignment and its solutions, with other limits."""
    path = folder / "assignments" / "xor_by_hand"
    shutil.copytree(ROOT / "assignments" / "xor_by_hand", path)
    shutil.copytree(
        ROOT / "solutions" / "xor_by_hand", folder / "solutions" / "xor_by_hand",
        ignore=shutil.ignore_patterns("right", "wrong", "demo"),
    )  # fmt: skip
    if limits:
        toml = path / "assignment.toml"
        text = toml.read_text(encoding="utf-8")
        start = text.index("[limits]")
        end = text.index("\n[", start)
        toml.write_text(text[:start] + "[limits]" + limits + text[end:], encoding="utf-8")
    return load_assignment(path, folder / "solutions")


class Sessions:
    """The sessions of one level, over one warm process: with usual limits and with short ones."""

    def __init__(
        self, folder: Path, level: Level, start: Callable[[], Worker], canary: Canary
    ) -> None:
        self.level = level
        self.canary = canary
        self.usual = Session(folder, level, start, canary)
        self.short = Session(folder, level, start, canary, limits=IMPATIENT)
        self.honest = without_times(self.usual.grade(HONEST.read_bytes()).graded.document)
        self.idle = self.usual.grade(IDLE).scores
        self.alone = without_times(
            self.usual.grade(HONEST.read_bytes(), only=NEIGHBOURS).graded.document
        )

    def of(self, attack: Attack) -> Session:
        return self.short if "short" in attack.words("limits") else self.usual

    def neighbour_is_unharmed(self) -> bool:
        seen = self.usual.grade(HONEST.read_bytes(), only=NEIGHBOURS)
        return bool(without_times(seen.graded.document) == self.alone)

    def close(self) -> None:
        for session in (self.usual, self.short):
            session.close()


@contextlib.contextmanager
def sessions(folder: Path, level: Level) -> Iterator[Sessions]:
    """Start one warm process at `level` with a secret in this process's environment."""
    canary = Canary(folder)
    os.environ[VARIABLE] = SECRET
    limits = load_assignment(ROOT / "assignments" / "xor_by_hand").limits
    try:
        with starter(level, limits, [ROOT / "solutions", folder]) as start:
            found = Sessions(folder, level, start, canary)
            try:
                yield found
            finally:
                found.close()
    finally:
        del os.environ[VARIABLE]
        canary.close()


def descendants(pid: int) -> dict[int, str]:
    """Name by process id of all that `pid` started and what they started, zombies included."""
    parents: dict[int, tuple[int, str]] = {}
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError, ValueError):
            stat = Path(f"/proc/{int(name)}/stat").read_text(encoding="utf-8", errors="replace")
            command, _, rest = stat.partition("(")[2].rpartition(")")
            parents[int(name)] = int(rest.split()[1]), command
    found: dict[int, str] = {}
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        for child, (owner, command) in parents.items():
            if owner == parent and child not in found:
                found[child] = command
                waiting.append(child)
    return found
