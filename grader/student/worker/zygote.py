"""The process that workers are forked from: torch is imported and warm, nothing else is here.

It runs no student's code and is told nothing about one: a fork can read all that its parent
holds. It ends when the trusted side closes the control channel, and its workers end with it.
"""

from __future__ import annotations

import ctypes
import gc
import os
import shutil
import signal
import socket
import tempfile
from typing import Final

import torch

from . import confine, control, huge_pages, serving
from .warmup import warm_up

_PR_SET_CHILD_SUBREAPER: Final = 36
_MOST_SWEEPS: Final = 200


def run(channel: socket.socket) -> None:
    """Get warm, say so, and fork workers until `channel` closes."""
    setup, _ = control.receive_request(channel)
    if not isinstance(setup, control.Setup):
        raise ValueError("the first message is another")
    if setup.warm:
        warm_up()
    # torch looks at the processor once, in /proc and /sys, and a confined worker finds neither: it
    # would compute with kernels for any processor, which are slow and round otherwise.
    torch.backends.cpu.get_cpu_capability()
    torch.set_num_threads(1)
    gc.collect()
    gc.freeze()  # a collection in a worker would touch, and so copy, every page
    if setup.warm:
        huge_pages.gather()  # worth its time from some ten workers on
    # What a worker leaves behind becomes a child of this process, which ends it.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    confine.prepare()
    control.send(channel, control.Up())
    _Nursery(channel, setup.home).serve()


class _Nursery:
    """Forks workers on request and takes their exit statuses."""

    def __init__(self, channel: socket.socket, home: str) -> None:
        self._channel = channel
        self._home = home
        self._workers: dict[int, str] = {}  # their folders, by process id

    def serve(self) -> None:
        while True:
            try:
                request, fds = control.receive_request(self._channel)
                if isinstance(request, control.Spawn):
                    self._spawn(request, fds)
                elif isinstance(request, control.Reap):
                    control.send(self._channel, control.Reaped(self._reap(request.pid)))
            except (OSError, control.NoMessage):
                break
        for pid in self._workers:
            os.kill(pid, signal.SIGKILL)
        folders = [self._home, *self._workers.values()]
        self._workers.clear()
        self._end_strays()
        for folder in filter(None, folders):  # gone already, unless the trusted side died first
            shutil.rmtree(folder, ignore_errors=True)

    def _spawn(self, request: control.Spawn, fds: list[int]) -> None:
        pid_fd = -1
        try:
            pid = self._fork(request, *fds)
            self._workers[pid] = request.home
            pid_fd = os.pidfd_open(pid)
        except (OSError, TypeError) as error:
            control.send(self._channel, control.Failed(str(error)))
        else:
            control.send(self._channel, control.Forked(pid), [pid_fd])
        finally:
            for fd in (*fds, pid_fd):
                if fd >= 0:
                    os.close(fd)

    def _fork(self, request: control.Spawn, wire: int, words: int) -> int:
        def child(layers: list[str]) -> None:
            os.dup2(0, 2)  # a null device by now; opening one may be refused
            if request.home:
                _move_to(request.home)
            else:
                # Looking for a folder that can be written to may find none, and then importing a
                # module that only wants to know its name would fail.
                tempfile.tempdir = os.getcwd()
            serving.serve(socket.socket(fileno=wire), words)

        own = os.dup(2)
        # A layer that fails says so on standard error: the words of this worker, not of this
        # process.
        os.dup2(words, 2)
        try:
            return confine.spawn(request.plan, child, {wire, words, 2})
        finally:
            os.dup2(own, 2)
            os.close(own)

    def _reap(self, pid: int) -> int | None:
        if pid not in self._workers:
            return None
        done, status = os.waitpid(pid, os.WNOHANG)
        if not done:
            return None
        del self._workers[pid]
        self._end_strays()
        return os.waitstatus_to_exitcode(status)

    def _end_strays(self) -> None:
        """End what a worker forked and left: only at level `process` can there be any."""
        for _ in range(_MOST_SWEEPS):
            strays = _children() - self._workers.keys()
            if not strays:
                return
            for pid in strays:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def _children() -> set[int]:
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            return {int(pid) for pid in file.read().split()}
    except OSError:  # a kernel that does not list them
        return set()


def _move_to(home: str) -> None:
    os.chdir(home)
    os.environ["HOME"] = os.environ["TMPDIR"] = home
    tempfile.tempdir = None  # the zygote's own was remembered
