"""What a student's process may see of this machine: enough for Python and torch, no more."""

from __future__ import annotations

import importlib.util
import os
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from grader.errors import GraderFailed

SYSTEM: Final = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/nix/store")
FILES: Final = ("/etc/ld.so.cache",)
DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
WORKER: Final = str(Path(__file__).resolve().parent.parent / "worker")


def readable() -> tuple[str, ...]:
    """Folders and files, absolute and without those inside one another: the system's libraries,
    Python's own, those of the environment this process runs in (wherever torch lies), the worker.
    """
    python = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    python += [os.path.join(sys.base_prefix, name) for name in ("lib", "lib64")]
    torch = importlib.util.find_spec("torch")  # looks, does not import
    if torch is not None and torch.origin is not None:
        python.append(os.path.dirname(os.path.dirname(torch.origin)))
    found = [path for path in (*SYSTEM, *FILES, *python, WORKER) if os.path.exists(path)]
    return _outermost([*found, *map(os.path.realpath, found)])


def executables() -> tuple[str, ...]:
    """The running Python's file under each of its names, and what tells it its environment."""
    name = sys.executable
    chain = [name]
    while os.path.islink(name):
        name = os.path.normpath(os.path.join(os.path.dirname(name), os.readlink(name)))
        chain.append(name)
    chain += [os.path.realpath(name), os.path.join(sys.prefix, "pyvenv.cfg")]
    return tuple(dict.fromkeys(path for path in chain if os.path.isfile(path)))


def refuse_exposed(seen: Iterable[str], hidden: Iterable[str | Path]) -> None:
    """Raise GraderFailed where one of the `hidden` folders lies in what a student would see."""
    for secret in map(os.path.realpath, hidden):
        for path in map(os.path.realpath, seen):
            if secret == path or secret.startswith(path.rstrip("/") + "/"):
                raise GraderFailed(
                    f"{secret} must stay hidden from students' code, but {path} is shown to it",
                    "Move it out of the Python installation.",
                )


def _outermost(paths: Iterable[str]) -> tuple[str, ...]:
    kept: list[str] = []
    for path in sorted(set(paths)):
        if not any(path.startswith(outer.rstrip("/") + "/") for outer in kept):
            kept.append(path)
    return tuple(kept)
