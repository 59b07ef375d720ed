"""A scheduler and workers as one starts them by hand, each a real process, and a class for them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.classroom.class_runs import (
    ASSIGNMENT,
    NAME,
    REFERENCE,
    ROOT,
    STAFF,
    TWICE_WRONG,
    WRONG,
    Done,
    descendants,
    ended,
    environment,
    started,
    wait_for,
)

OTHER_VERSION = "9.9.9"
MARK = "1234567.0"
BUG = f"""
    if float(student.relu(draw.normal(2)).sum()) == {MARK}:
        raise RuntimeError("the check is broken")
"""
KNOCKING = """
import socket

def knocked(port):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2):
            return "open"
    except OSError as error:
        return type(error).__name__

found = "scheduler " + knocked(@SCHEDULER@) + ", worker " + knocked(@WORKER@)
raise RuntimeError(found)
"""


@dataclass
class Cluster:
    """Processes by name; those that bear a worker's name have a temporary folder of their own."""

    folder: Path
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def _file(self) -> Path:
        return self.folder / "scheduler.json"

    @property
    def address(self) -> str:
        found: str = json.loads(self._file.read_text())["address"]
        return found

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def temporary(self, name: str) -> Path:
        return self.folder / name / "tmp"

    def start_scheduler(self, *more: str) -> None:
        self._start(
            "scheduler", "dask_scheduler", "--scheduler-file", str(self._file),
            *("--host", "127.0.0.1", "--port", "0", "--no-dashboard"), *more,
        )  # fmt: skip

    def start_worker(self, name: str, *more: str, threads: int = 1, **variables: str) -> None:
        self._start(
            name, "dask_worker", "--scheduler-file", str(self._file), "--no-nanny",
            *("--host", "127.0.0.1", "--nthreads", str(threads), "--no-dashboard", "--name", name),
            *more, **variables,
        )  # fmt: skip

    def worker_address(self, name: str) -> str:
        """As it says itself in its log, once it is registered."""
        log = self.folder / name / "log"

        def look() -> str:
            text = log.read_text()
            found = re.search(r"Start worker at: +(\S+)", text)
            return found[1] if found and "Registered to" in text else ""

        address: str = wait_for(look, f"{name} registered", 60)
        return address

    def _start(self, name: str, module: str, *arguments: str, **variables: str) -> None:
        temporary = self.temporary(name)
        temporary.mkdir(parents=True)
        with (self.folder / name / "log").open("wb") as log:
            self.processes[name] = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{module}", *arguments],
                env=environment(TMPDIR=str(temporary), **variables),
                cwd=self.folder / name,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def close(self) -> None:
        for name, process in self.processes.items():
            if name != "scheduler":  # workers would wait for it to come back
                process.send_signal(signal.SIGTERM)
        end = time.monotonic() + 10
        for process in reversed(self.processes.values()):
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.1, end - time.monotonic()))
            if process.poll() is None:
                process.kill()
                process.wait()


def of_another_version(folder: Path) -> Path:
    """A copy of the whole package that says that it is another release; to be put on a path."""
    shutil.copytree(
        ROOT / "grader", folder / "grader", ignore=shutil.ignore_patterns("__pycache__")
    )
    file = folder / "grader" / "__init__.py"
    text, count = re.subn(
        r"^__version__ = .*$", f'__version__ = "{OTHER_VERSION}"', file.read_text(), flags=re.M
    )
    assert count == 1
    file.write_text(text)
    return folder


def course_with_a_bug(folder: Path) -> Path:
    """A copy of the assignment, solutions beside it, one check of which breaks on `struck.py`."""
    skip = shutil.ignore_patterns("__pycache__", "right", "wrong", "demo")
    assignment = folder / "assignments" / NAME
    shutil.copytree(ASSIGNMENT, assignment, ignore=skip)
    shutil.copytree(STAFF, folder / "solutions" / NAME, ignore=skip)
    check = assignment / "checks" / "test_relu.py"
    sound = check.read_text()
    check.write_text(sound.replace('as it was.\n    """\n', f'as it was.\n    """{BUG}', 1))
    assert check.read_text() != sound
    return assignment


def mixed_class(folder: Path, cluster: Cluster, worker: str) -> Path:
    """Right, wrong, unreadable; one on which a check breaks; one that knocks at dask's ports."""
    folder.mkdir(parents=True)
    shutil.copy(REFERENCE, folder / "right.py")
    shutil.copy(TWICE_WRONG, folder / "wrong.py")
    shutil.copy(WRONG / "backward_missing_no_step.ipynb", folder / "notebook.ipynb")
    inner = folder / "group 7" / "submission"
    inner.mkdir(parents=True)
    shutil.copy(WRONG / "log_base_ten.py", inner / "xor_by_hand.py")
    (folder / "garbled.ipynb").write_text("{ no notebook")
    text = REFERENCE.read_text()
    struck = f"{text}\n\ndef relu(x):\n    return torch.full_like(x, {MARK} / x.numel())\n"
    (folder / "struck.py").write_text(struck)
    port = cluster.worker_address(worker).rpartition(":")[2]
    knocking = KNOCKING.replace("@SCHEDULER@", str(cluster.port)).replace("@WORKER@", port)
    (folder / "knocking.py").write_text(text + knocking)
    return folder


def batch(assignment: Path, source: Path, out: Path, *more: str) -> subprocess.Popen[bytes]:
    """`grade batch`, started."""
    return started("batch", source, "-a", assignment, "-o", out, *more)


def finished(process: subprocess.Popen[bytes]) -> Done:
    """A command that ended without a traceback."""
    done = ended(process)
    assert "Traceback" not in done.err, done.err
    return done


def left_behind(folder: Path) -> list[Path]:
    """What a station leaves under a worker's temporary folder."""
    return [path for path in folder.rglob("*") if "grader-" in path.name]


def is_grading(worker: int) -> bool:
    """Whether its station has forked a child, which lives as long as a chunk is at work."""
    return sum("grader.cluster.station" in line for line in descendants(worker).values()) > 1


def files_called(folder: Path, name: str) -> list[Path]:
    found = []
    for place, _, files in os.walk(folder):
        found += [Path(place, file) for file in files if file == name]
    return found
