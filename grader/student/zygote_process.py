"""The one process that workers are forked from, as the trusted side holds it."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from typing import Final

from grader.errors import GraderFailed
from grader.student.jail import bubblewrap
from grader.student.launch import PYTHON_OPTIONS, WORKER, clean_environment, read_last_words
from grader.student.worker import control

START_SECONDS: Final = 120.0  # to import torch and get warm, on a slow disk
REPLY_SECONDS: Final = 30.0  # to fork, on a machine under load
END_SECONDS: Final = 2.5  # to go by itself before it is killed


class Gone(Exception):
    """The zygote does not answer; the text says what is known."""


class ZygoteProcess:
    """One such process, behind the command `prefix`, and the channel to it.

    `up` says whether it ever said that it can fork.
    """

    def __init__(self, prefix: list[str], warm: bool) -> None:
        self._home = "" if prefix else tempfile.mkdtemp(prefix="grader-")
        self._lock = threading.Lock()
        self._lost = ""
        self.up = False
        python = [sys.executable, *PYTHON_OPTIONS]
        home = self._home or bubblewrap.SCRATCH
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._words, stderr = os.pipe()
        os.set_blocking(self._words, False)
        with theirs:
            try:
                self._process = subprocess.Popen(
                    [*prefix, *python, str(WORKER), "zygote", str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=stderr,
                    cwd=self._home or "/",
                    env=environment(home),
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                )
            except OSError as error:
                self._forget()
                raise GraderFailed(f"no process could be started: {error}") from None
            finally:
                os.close(stderr)
        with contextlib.suppress(OSError):  # it died at once; asking it says so
            control.send(self._channel, control.Setup(warm, self._home))

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, request: control.Request, fds: list[int]) -> tuple[control.Reply, list[int]]:
        """The reply and its descriptors. Raises Gone, and GraderFailed if it never came up."""
        with self._lock:
            if self._lost:
                raise Gone(self._lost)
            if not self.up:
                self._wait_until_up()
            self._channel.settimeout(REPLY_SECONDS)
            try:
                control.send(self._channel, request, fds)
                return control.receive_reply(self._channel)
            except TimeoutError:
                self._lost = f"no answer within {REPLY_SECONDS:g} s"
            except (OSError, control.NoMessage) as error:
                self._lost = self._last_words() or str(error)
            # For good: a reply that comes late would be taken for the next one's.
            raise Gone(self._lost)

    def _wait_until_up(self) -> None:
        self._channel.settimeout(START_SECONDS)
        try:
            reply, _ = control.receive_reply(self._channel)
            self.up = isinstance(reply, control.Up)
            why = "its first word is another"
        except TimeoutError:
            why = f"nothing was heard for {START_SECONDS:g} s"
        except (OSError, control.NoMessage) as error:
            why = self._last_words() or str(error)
        if not self.up:
            raise GraderFailed(
                f"the process that workers are forked from did not start: {why}",
                "Run `grade doctor`.",
            )

    def _last_words(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=0.5)
        return read_last_words(self._words)

    def close(self) -> None:
        """End the process; at the end of the channel it goes by itself."""
        self._lost = self._lost or "it was ended"
        self._channel.close()
        try:
            self._process.wait(timeout=END_SECONDS)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._forget()

    def _forget(self) -> None:
        self._channel.close()
        os.close(self._words)
        if self._home:
            shutil.rmtree(self._home, ignore_errors=True)


def environment(home: str) -> dict[str, str]:
    """What such a process, and so every worker of it, sees of the environment."""
    # Large pages make a fork several times cheaper. Only glibc knows the variable.
    return clean_environment(home) | {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
