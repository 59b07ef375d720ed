"""Start and end a worker process at level `process`: fresh interpreter, scrubbed environment.

This module imports no torch, so that a command can start its worker first and import after.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec

from grader.student.jail import Plan
from grader.student.worker.messages import Frame

WORKER = Path(__file__).parent / "worker" / "worker.py"
# A worker that gets it writes its Python stack down, at once and wherever it hangs.
HANG_SIGNAL = getattr(signal, "SIGUSR1", signal.SIGTERM)
HANG_WAIT = 1.0  # seconds for it to begin
HANG_MOST = 2.0  # and to end: student code may write there too, a little at a time and for ever
_SILENCE = 0.1  # seconds after which it is done
_MOST_WORDS = 65_536
_MOST_FRAMES = 30
# Not -I, which would ignore PYTHONHASHSEED: sets would come out in another order each time.
PYTHON_OPTIONS = ("-s", "-P", "-B")


class WorkerProcess:
    """One process group that runs untrusted code, and the socket to it.

    `plan` (of level `process`) is how the process limits itself before it runs any.
    """

    def __init__(self, plan: Plan | None = None) -> None:
        self._home = tempfile.mkdtemp(prefix="grader-")
        self.connection, theirs = socket.socketpair()
        self._hang_log, hang_log = os.pipe()
        os.set_blocking(self._hang_log, False)
        self._process = subprocess.Popen(
            [sys.executable, *PYTHON_OPTIONS, str(WORKER), "serve"]
            + [str(theirs.fileno()), str(hang_log)]
            + ([] if plan is None else [msgspec.json.encode(plan).decode()]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=hang_log,  # until it serves: why a start failed
            cwd=self._home,
            env=clean_environment(self._home),
            pass_fds=[theirs.fileno(), hang_log],
            start_new_session=True,
        )
        theirs.close()
        os.close(hang_log)

    @property
    def pid(self) -> int:
        return self._process.pid

    def exit_code(self) -> int | None:
        """The status of a process that ended, waiting a moment for one that is ending."""
        try:
            return self._process.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            return None

    def hang_frames(self, files: frozenset[str]) -> list[Frame]:
        """The student's lines on the stack when a call overran in C, outermost first."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            self._process.send_signal(HANG_SIGNAL)
        return read_hang_frames(self._hang_log, files)

    def last_words(self) -> str:
        """The last line that a worker wrote before it served, if it failed to start."""
        return read_last_words(self._hang_log)

    def close(self) -> None:
        """End the whole process group and remove what it wrote."""
        self.connection.close()
        # By group: the student's code may have started processes of its own.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._hang_log)
        shutil.rmtree(self._home, ignore_errors=True)


def clean_environment(home: str) -> dict[str, str]:
    """What student code may see of the environment: nothing of the grader's own."""
    found = importlib.util.find_spec("torch")
    # -s leaves out user-site installs; torch may live in one.
    extra = str(Path(found.origin).parents[1]) if found and found.origin else ""
    environment = {
        "PATH": os.defpath,
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": extra,
        "PYTHONDONTWRITEBYTECODE": "1",
        "MPLBACKEND": "Agg",
        # torch makes this folder when parts of it are imported, and nowhere else may it: one that
        # is there already. Nothing is compiled here.
        "TORCHINDUCTOR_CACHE_DIR": "/",
        # Before torch is imported: a forked child of a threaded OpenMP hangs.
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }
    for name in ("LD_LIBRARY_PATH", "SYSTEMROOT", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        if name in os.environ:  # without these some machines cannot load NumPy at all
            environment[name] = os.environ[name]
    return environment


def read_hang_frames(pipe: int, files: frozenset[str]) -> list[Frame]:
    """What a worker that was sent HANG_SIGNAL writes into `pipe` soon, of lines in `files`.

    It may write anything, or nothing.
    """
    text = ""
    wait = HANG_WAIT
    deadline = time.monotonic() + HANG_MOST
    # Piece by piece, so until it falls silent.
    while len(text) < _MOST_WORDS and time.monotonic() < deadline:
        if not select.select([pipe], [], [], wait)[0]:
            break
        piece = _read_pipe(pipe)
        if not piece:
            break
        text += piece
        wait = _SILENCE
    found = re.findall(r'^  File "(.{1,300})", line (\d{1,7}) in (.{1,100})$', text, re.MULTILINE)
    frames = [Frame(name, int(line), function) for name, line, function in found if name in files]
    return frames[:_MOST_FRAMES][::-1]  # innermost first there: of a deep recursion those count


def read_last_words(pipe: int) -> str:
    """The last line in `pipe`, cut; empty where nobody wrote."""
    lines = _read_pipe(pipe).strip().splitlines()
    return lines[-1][:300] if lines else ""


def _read_pipe(pipe: int) -> str:
    try:
        return os.read(pipe, _MOST_WORDS).decode("utf-8", "replace")
    except BlockingIOError:
        return ""
