"""Which layers of isolation hold on this machine, found by trying each of them."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Final

import msgspec

from grader.student.jail import bubblewrap, paths
from grader.student.jail.seccomp import student_filter
from grader.student.jail.syscalls import machine_named

LAYERS: Final = ("bwrap", "userns", "pid", "mount", "landlock", "seccomp", "uid")
DENY: Final = "GRADER_DENY_LAYERS"
"""Environment variable: layers, with commas between, that count as absent."""

_NOBODYS_USERS: Final = ((1_879_048_192, 4_194_304), (40_000, 20_000))
"""Ranges (first, count) of user ids that no system gives out; the first has one for every possible
process id, the second fits into a container's 65,536."""

_SCRIPT: Final = str(Path(__file__).with_name("try_layers.py"))
_SECONDS: Final = 5.0
_NO_ROOT: Final = "only root, where there are other user ids, can give each child one of its own"
_NOT_LINUX: Final = "only Linux has it"


class Probe(msgspec.Struct, frozen=True):
    """What the trials found."""

    layers: dict[str, str]
    """Layer -> "" where it holds, else why not."""
    root: bool
    """Whether the grader runs as a root that rules over other user ids: then children must get
    one. A container's root who is alone in it is no more than any user."""
    users: tuple[int, int] | None
    """User ids for children outside bubblewrap; None: they stay who runs the grader."""
    jail_users: tuple[int, int] | None
    """The range to map inside bubblewrap, for `bubblewrap.prefix`."""
    users_reach_python: bool
    """Whether such a user can read Python's files without help."""


def probe() -> Probe:
    """Try every layer, once a process (again after GRADER_DENY_LAYERS changed)."""
    return _probe(os.environ.get(DENY, ""))


@functools.cache
def _probe(denied: str) -> Probe:
    deny = {name.strip() for name in denied.split(",") if name.strip()}
    if sys.platform != "linux":
        return Probe(dict.fromkeys(LAYERS, _NOT_LINUX), False, None, None, True)
    free = _free_users() if os.geteuid() == 0 else None
    root = free is not None
    users = free if "uid" not in deny else None
    with _start([], users[0] if users else None) as outside:
        inside, jail_users, no_bwrap = _try_bubblewrap(users)
        try:
            seen = {"uid": "", **_answer(outside)}
        except ChildProcessError as failure:
            seen = dict.fromkeys(("landlock", "seccomp", "uid"), str(failure))
    layers = {
        "bwrap": no_bwrap,
        "userns": no_bwrap,
        "pid": inside.get("pid", no_bwrap),
        "mount": inside.get("mount", no_bwrap),
        "landlock": seen["landlock"],
        "seccomp": seen["seccomp"],
        "uid": seen["uid"] if root else _NO_ROOT,
    }
    layers |= {name: f"denied by {DENY}" for name in LAYERS if name in deny}
    return Probe(
        layers, root, users if not layers["uid"] else None, jail_users, not seen.get("reach", "")
    )


def _try_bubblewrap(
    users: tuple[int, int] | None,
) -> tuple[dict[str, str], tuple[int, int] | None, str]:
    """(what held inside, the users that could be mapped, why bubblewrap does not work)."""
    why = ""
    for mapped in dict.fromkeys((users, None)):
        try:
            command = bubblewrap.prefix(mapped, (_SCRIPT,))
        except FileNotFoundError as failure:
            return {}, None, str(failure)
        try:
            with _start(command, 1 if mapped else None) as trial:
                answer = _answer(trial)
        except ChildProcessError as failure:
            why = str(failure)
            continue
        if mapped and answer.get("uid"):
            continue
        return answer, mapped, ""
    return {}, None, why


def _start(prefix: list[str], uid: int | None) -> subprocess.Popen[bytes]:
    """The script that tries the layers, behind a prefix; not waited for."""
    machine = machine_named(platform.machine())
    calls = student_filter(machine) if machine is not None else None
    request = {
        "filter": calls.program.hex() if calls else "",
        "own_pid_at": calls.own_pid_at if calls else (),
        "uid": uid,
        "scratch": bubblewrap.SCRATCH if prefix else None,
        "python": os.__file__,
    }
    trial = subprocess.Popen(
        [*prefix, sys.executable, "-I", "-S", _SCRIPT, paths.WORKER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd="/",
        env={},
    )
    assert trial.stdin is not None
    with contextlib.suppress(BrokenPipeError):  # it died; the reason is read later
        trial.stdin.write(json.dumps(request).encode())
        trial.stdin.flush()
    return trial


def _answer(trial: subprocess.Popen[bytes]) -> dict[str, str]:
    """What the script found; ChildProcessError, with its last words, where it found nothing."""
    try:
        output, errors = trial.communicate(timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        trial.kill()
        raise ChildProcessError(f"the trial took longer than {_SECONDS:.0f} s") from None
    if trial.returncode != 0:
        lines = errors.decode(errors="replace").strip().splitlines()
        raise ChildProcessError(lines[-1] if lines else f"the trial ended with {trial.returncode}")
    answer: dict[str, str] = json.loads(output)
    return answer


def _free_users() -> tuple[int, int] | None:
    """The first range of `_NOBODYS_USERS` that this user namespace can express."""
    mapped = [_ranges(f"/proc/self/{name}") for name in ("uid_map", "gid_map")]
    for first, count in _NOBODYS_USERS:
        if all(
            any(low <= first and first + count <= high for low, high in map_) for map_ in mapped
        ):
            return first, count
    return None


def _ranges(path: str) -> list[tuple[int, int]]:
    """[(first, one past the last)] of the ids that exist here."""
    with open(path, encoding="ascii") as file:
        rows = [[int(word) for word in line.split()] for line in file]
    return [(first, first + count) for first, _, count in rows]
