"""The three levels of isolation, and what a child of each has to do to shut itself in."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from grader.errors import GraderFailed
from grader.student.jail import bubblewrap, paths
from grader.student.jail.probe import Probe
from grader.student.jail.seccomp import student_filter
from grader.student.jail.syscalls import machine_named

Level = Literal["jail", "confined", "process"]
LEVELS: Final[tuple[Level, ...]] = ("jail", "confined", "process")
"""From the strongest to the weakest."""

_CAP_DAC_READ_SEARCH: Final = 2


class Limits(msgspec.Struct, frozen=True):
    """What one submission may use: bytes beyond the warm base, seconds of processor time, bytes of
    files, numbers of open files and of threads."""

    memory: int = 1 << 30
    cpu_seconds: int = 60
    file_bytes: int = 16 << 20
    open_files: int = 64
    threads: int = 256


class Plan(msgspec.Struct, frozen=True):
    """What a child does to itself, as plain data for the other side (`student/worker/confine.py`).

    Empty or zero means: leave that layer out.
    """

    level: Level
    limits: dict[str, int]
    namespaces: tuple[str, ...] = ()
    scratch: str = ""
    scratch_bytes: int = 0
    hide: tuple[str, ...] = ()
    landlock: bool = False
    landlock_read: tuple[str, ...] = ()
    landlock_write: tuple[str, ...] = ()
    uid_first: int = 0
    uid_count: int = 0
    drop_capabilities: bool = False
    keep_capabilities: tuple[int, ...] = ()
    seccomp: bytes = b""
    own_pid_at: tuple[int, ...] = ()

    def as_message(self) -> dict[str, Any]:
        """Dictionaries, lists, numbers, text and bytes only."""
        message: dict[str, Any] = msgspec.to_builtins(self, builtin_types=(bytes,))
        return message


def why_not(level: Level, probe: Probe) -> str:
    """What keeps this machine from the level, in words; empty where it holds."""
    needed = {
        "jail": ("bwrap", "userns", "pid", "mount", "seccomp"),
        "confined": ("seccomp", *(("uid",) if probe.root else ())),
        "process": (),
    }[level]
    missing = [f"{name}: {probe.layers[name]}" for name in needed if probe.layers[name]]
    return "; ".join(missing)


def strongest(probe: Probe) -> Level:
    """The strongest level that holds on this machine."""
    return next(level for level in LEVELS if not why_not(level, probe))


def plan(level: Level, limits: Limits, probe: Probe, hidden: Iterable[str | Path] = ()) -> Plan:
    """The plan for one level. Raises GraderFailed where the level does not hold here, or where
    something that must stay `hidden` lies in the folders that a child may read."""
    missing = why_not(level, probe)
    if missing:
        raise GraderFailed(f"isolation level {level} does not hold here ({missing})")
    bounds = {
        "memory": limits.memory,
        "cpu": limits.cpu_seconds,
        "file": limits.file_bytes,
        "open_files": limits.open_files,
    }
    if level == "process":
        return Plan(level, bounds)
    seen = paths.readable()
    paths.refuse_exposed(seen, hidden)
    landlock = not probe.layers["landlock"]
    inside = level == "jail"
    users = probe.jail_users if inside else probe.users
    first, count = users or (0, 0)
    if inside or users:
        # else the limit would count the other processes of whoever runs the grader
        bounds["processes"] = limits.threads
    # without Landlock or a jail nothing but the refusal to open any file keeps files unread
    machine = machine_named(platform.machine())
    assert machine is not None  # the probe tried a filter for it
    calls = student_filter(machine, opens=inside or landlock)
    # A Python below a folder of root's own would be out of reach for another user: the child may
    # then go past file modes, and Landlock alone decides what it reads.
    past_modes = not inside and landlock and bool(users) and not probe.users_reach_python
    return Plan(
        level,
        bounds,
        namespaces=("pid", "mount") if inside else (),
        scratch=bubblewrap.SCRATCH if inside else "/",
        scratch_bytes=limits.file_bytes if inside else 0,
        hide=("/proc",) if inside else (),  # it shows the zygote, also where Landlock is missing
        landlock=landlock,
        landlock_read=(*seen, *paths.DEVICES),
        landlock_write=("/dev/null", *((bubblewrap.SCRATCH,) if inside else ())),
        uid_first=1 if inside and users else first,
        uid_count=count,
        drop_capabilities=True,
        keep_capabilities=(_CAP_DAC_READ_SEARCH,) if past_modes else (),
        seccomp=calls.program,
        own_pid_at=calls.own_pid_at,
    )
