"""The real command in real processes, and what it leaves behind."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NAME = "xor_by_hand"
ASSIGNMENT = ROOT / "assignments" / NAME
STAFF = ROOT / "solutions" / NAME
REFERENCE = STAFF / "reference.py"
WRONG = STAFF / "wrong" / "two_leaky_and_no_reset.py"
COMMAND = [sys.executable, "-m", "grader"]
OURS = ("GRADE_", "PYTEST_", "COV_")
UNSET = ("NO_COLOR", "COLUMNS", "LINES", "FORCE_COLOR", "CLICOLOR_FORCE", "PYTHONPATH")


@dataclass(frozen=True)
class Done:
    """A command that ended: its status and what it wrote."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """Standard error, line by line, blank ones left out."""
        return [line for line in self.err.splitlines() if line.strip()]


def environment(scratch: Path | None = None, **more: str) -> dict[str, str]:
    """The tests' own environment without what would change the command's ways.

    `scratch` is where its temporary files go, so that a test can see what is left of them.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in UNSET and not name.startswith(OURS)
    }
    kept |= {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    if scratch is not None:
        scratch.mkdir(exist_ok=True)
        kept["TMPDIR"] = str(scratch)
    return kept | more


def grade(
    *arguments: str | Path, cwd: Path | None = None, scratch: Path | None = None, **more: str
) -> Done:
    """Run `grade` with `arguments` to its end."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=cwd,
        env=environment(scratch, **more),
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def read(document: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(document.read_text(encoding="utf-8"))
    return found


def points(document: dict[str, Any]) -> dict[str, float]:
    """Each exercise's points."""
    return {entry["name"]: entry["score"] for entry in document["grade"]["exercises"]}


@dataclass(frozen=True)
class Run:
    """A finished `grade check` and the document that it wrote."""

    done: Done
    document: dict[str, Any]
    scratch: Path
    file: Path


def checked(folder: Path, file: Path, *more: str | Path, **environment: str) -> Run:
    target, scratch = folder / "out.json", folder / "scratch"
    done = grade("check", file, "-a", NAME, "--json", target, *more, scratch=scratch, **environment)
    return Run(done, read(target), scratch, file)


@dataclass(frozen=True)
class Process:
    """A running process: its name, its parent, and the seconds that it computed for."""

    name: str
    parent: int
    seconds: float


def processes(pid: int) -> dict[int, Process]:
    """All that `pid` started and what they started, by process id. Linux only."""
    everyone: dict[int, Process] = {}
    ticks = os.sysconf("SC_CLK_TCK")
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError, ValueError):
            stat = Path(f"/proc/{int(name)}/stat").read_text(encoding="utf-8", errors="replace")
            command, _, rest = stat.partition("(")[2].rpartition(")")
            fields = rest.split()
            everyone[int(name)] = Process(command, int(fields[1]), int(fields[11]) / ticks)
    found: dict[int, Process] = {}
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        for child, process in everyone.items():
            if process.parent == parent and child not in found:
                found[child] = process
                waiting.append(child)
    return found


class Foster:
    """Takes in what commands leave behind, so that nothing escapes a count.

    An orphan goes to the nearest ancestor that adopts. Linux only.
    """

    PR_SET_CHILD_SUBREAPER = 36

    def __enter__(self) -> Foster:
        self._before = set(processes(os.getpid()))
        self._adopt(True)
        return self

    def __exit__(self, *_: object) -> None:
        self._adopt(False)
        for pid in self.left():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def left(self, seconds: float = 0.0) -> dict[int, str]:
        """What runs that was started since; after `seconds` at the latest."""
        end = time.monotonic() + seconds
        while True:
            running = {}
            for pid, process in processes(os.getpid()).items():
                if pid in self._before:
                    continue
                # One that ended and was adopted waits for us to take its status.
                with contextlib.suppress(ChildProcessError):
                    if os.waitpid(pid, os.WNOHANG)[0] == pid:
                        continue
                running[pid] = process.name
            if not running or time.monotonic() >= end:
                return running
            time.sleep(0.05)

    def _adopt(self, on: bool) -> None:
        import ctypes

        libc = ctypes.CDLL(None, use_errno=True)
        assert libc.prctl(self.PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0) == 0
