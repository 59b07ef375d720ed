"""A station as its dask worker holds it: the process, the folder it may use, the pipe to it."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

import grader
from grader.cluster.terms import Terms

MODULE = "grader.cluster.station"
READY = b"ready"
END_SECONDS = 5.0  # for it to end by itself, its workers with it
_MOST_BYTES = 512 << 20
_MOST_WORDS = 2_000
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Ended(Exception):
    """The station is gone; the text says what is known."""


class Beside:
    """Starts the process; `ready` waits for what it says of the terms. No torch in this process."""

    def __init__(self, terms: Terms, cargo: bytes) -> None:
        self._first = (msgspec.msgpack.encode(terms), cargo)
        self._folder = tempfile.mkdtemp(prefix="grader-station-")  # of mode 700
        self._connection, theirs = multiprocessing.Pipe()
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 (it has no name; closed in `close`)
        arguments = [str(theirs.fileno()), self._folder, str(os.getpid())]
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-s", "-P", "-m", MODULE, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._words,
                cwd="/",
                env=_environment(),
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        except OSError as error:
            self._forget()
            raise Ended(f"no process could be started: {error}") from None
        finally:
            theirs.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    def ready(self) -> str:
        """Wait until it can grade: nothing then, else why it will not. Raises Ended."""
        for part in self._first:
            self._send(part)
        answer = self._receive()
        return "" if answer == READY else answer.decode(errors="replace")

    def grade(self, chunk: bytes) -> bytes:
        """The verdicts on a chunk of submissions. Raises Ended."""
        self._send(chunk)
        return self._receive()

    def close(self) -> None:
        """End it and all that it started, and remove its folder."""
        # Not its connection first: another thread may be waiting there, and hears of the end.
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._forget()

    def _send(self, data: bytes) -> None:
        try:
            self._connection.send_bytes(data)
        except (OSError, ValueError):
            raise Ended(self._last_words()) from None

    def _receive(self) -> bytes:
        try:
            return self._connection.recv_bytes(_MOST_BYTES)
        except (EOFError, OSError, ValueError):
            raise Ended(self._last_words()) from None

    def _last_words(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)
        with contextlib.suppress(OSError, ValueError):
            size = self._words.seek(0, os.SEEK_END)
            self._words.seek(max(0, size - _MOST_WORDS))
            lines = self._words.read().decode(errors="replace").strip().splitlines()
            if lines:
                return f"its process that grades ended: {lines[-1]}"
        return f"its process that grades ended with status {self._process.returncode}"

    def _forget(self) -> None:
        self._connection.close()
        self._words.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _environment() -> dict[str, str]:
    """The dask worker's, without what would lead a grader elsewhere."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GRADE_", "PYTEST_", "PYTHON"))
    }
    path = [str(Path(grader.__file__).parents[1]), *os.environ.get("PYTHONPATH", "").split(":")]
    # Nothing compiled: that of the hidden checks would be left somewhere.
    ours = {"PYTHONPATH": ":".join(filter(None, path)), "PYTHONDONTWRITEBYTECODE": "1"}
    return kept | _ONE_THREAD | ours
