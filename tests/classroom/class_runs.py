"""The real `grade batch` in real processes, and what it leaves behind."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.report.document import without_times

ROOT = Path(__file__).resolve().parents[2]
NAME = "xor_by_hand"
ASSIGNMENT = ROOT / "assignments" / NAME
STAFF = ROOT / "solutions" / NAME
REFERENCE = STAFF / "reference.py"
WRONG = STAFF / "wrong"
TWICE_WRONG = WRONG / "two_leaky_and_no_reset.py"
COMMAND = [sys.executable, "-m", "grader"]
LONG = "l" * 200
BALLOONS = "🎈" * 60
PLAIN = ("right", "wrong", "two words", "🎈", "=1+1")  # of the odd class, what a zip can hold
PATIENCE = 300  # seconds for a command, on a machine with much else to do


@dataclass(frozen=True)
class Done:
    """A command that ended."""

    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Graded:
    """A source, its results, and the command that made them."""

    source: Path
    out: Path
    done: Done
    sockets: tuple[str, ...] = ()


def environment(**more: str) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GRADE_", "PYTEST_", "COV_")) and name not in ("COLUMNS", "LINES")
    }
    ours = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return kept | ours | more


def started(*arguments: str | Path, wrapper: list[str] | None = None) -> subprocess.Popen[bytes]:
    """`grade` with `arguments`, in a session and so a process group of its own."""
    return subprocess.Popen(
        [*(wrapper or []), *COMMAND, *map(str, arguments)],
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def ended(process: subprocess.Popen[bytes]) -> Done:
    out, err = process.communicate(timeout=PATIENCE)
    return Done(process.returncode, out.decode(), err.decode())


def grade(*arguments: str | Path) -> Done:
    """Run `grade` with `arguments` to its end."""
    return ended(started(*arguments))


def batch_arguments(source: Path, out: Path, *more: str | Path) -> list[str | Path]:
    return ["batch", source, "-a", NAME, "-o", out, *more]


def batch(source: Path, out: Path, *more: str | Path) -> Done:
    return grade(*batch_arguments(source, out, *more))


def document(out: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "reports" / f"{name}.json").read_text())
    return found


def documents(out: Path) -> dict[str, dict[str, Any]]:
    """All reports without their times, by id."""
    return {
        path.stem: without_times(json.loads(path.read_text()))
        for path in sorted((out / "reports").glob("*.json"))
    }


def table(out: Path) -> dict[str, dict[str, str]]:
    """grades.csv, by id."""
    with (out / "grades.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = {row["id"]: row for row in rows}
    assert len(found) == len(rows), "an id stands in the table twice"
    return found


def graded_at(out: Path) -> dict[str, float]:
    """When each stored result was made; empty while there is no store yet."""
    file = out / "results.sqlite"
    if not file.is_file():
        return {}
    with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=30)) as db:
        try:
            return dict(db.execute("SELECT submission, graded FROM result"))
        except sqlite3.OperationalError:
            return {}


def wait_for(truth: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """What `truth` gives once that is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = truth()
        if found:
            return found
        time.sleep(0.03)
    raise AssertionError(f"not within {seconds:g} s: {what}")


def descendants(pid: int) -> dict[int, str]:
    """Command lines by process id of all that `pid` started and what they started."""
    parents: dict[int, int] = {}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            parents[int(name)] = int(state_of(int(name))[1])
    found: dict[int, str] = {}
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        for child in [child for child, owner in parents.items() if owner == parent]:
            with contextlib.suppress(OSError):
                line = Path(f"/proc/{child}/cmdline").read_bytes()
                found[child] = line.replace(b"\0", b" ").decode(errors="replace")
                waiting.append(child)
    return found


def children_that_grade(pid: int) -> list[int]:
    return [child for child, line in descendants(pid).items() if " batch " in line]


def zygotes(pid: int) -> list[int]:
    """The outermost process of each: what the command itself started."""
    return [
        child
        for child, line in descendants(pid).items()
        if "worker.py zygote" in line and parent_of(child) == pid
    ]


def state_of(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name: state, parent, ... Raises OSError."""
    return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()


def parent_of(pid: int) -> int:
    try:
        return int(state_of(pid)[1])
    except OSError:
        return 0


def running(pids: Iterator[int] | list[int] | set[int]) -> list[int]:
    """Those that have not ended; a zombie has."""
    found = []
    for pid in pids:
        with contextlib.suppress(OSError):
            if state_of(pid)[0] not in "ZX":
                found.append(pid)
    return found


def sockets_beyond_this_machine(pid: int) -> list[str]:
    """Open sockets of a process that are of the internet families, as the system lists them."""
    found = []
    with contextlib.suppress(OSError):
        held = {os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()}
        for family in ("tcp", "tcp6", "udp", "udp6", "raw", "raw6"):
            for line in Path(f"/proc/{pid}/net/{family}").read_text().splitlines()[1:]:
                if f"socket:[{line.split()[9]}]" in held:
                    found.append(f"{family} {line}")
    return found


def make_class(folder: Path, **files: Path) -> Path:
    """A folder with a copy of each file, `_` in a name for what it is; endings are the files'."""
    folder.mkdir(parents=True)
    for name, file in files.items():
        shutil.copy(file, folder / f"{name}{file.suffix}")
    return folder


def some_of_each(folder: Path, count: int) -> Path:
    """`count` submissions, right and wrong by turns."""
    right = sorted((STAFF / "right").glob("*.py"))
    wrong = sorted(WRONG.glob("*.py"))[5::11]
    files = [kind[i // 2 % len(kind)] for i in range(count) for kind in [(right, wrong)[i % 2]]]
    return make_class(folder, **{f"s{i:03}": file for i, file in enumerate(files)})
