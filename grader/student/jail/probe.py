"""Which layers of isolation hold on this machine, found by trying each of them."""

from __future__ import annotations

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
_NOT_LINUX: Final = "only Linux has it"


class Probe(msgspec.Struct, frozen=True):
    """What the trials found."""

    layers: dict[str, str]
    """Layer -> "" where it holds, else why not."""
    root: bool
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
    root = os.geteuid() == 0
    users = _free_users() if root and "uid" not in deny else None
    outside = _start([], users[0] if users else None)
    inside, jail_users, no_bwrap = _try_bubblewrap(users) if "bwrap" not in deny else ({}, None, "")
    seen = _finish(outside)
    layers = {
        "bwrap": no_bwrap,
        "userns": no_bwrap,
        "pid": inside.get("pid", no_bwrap),
        "mount": inside.get("mount", no_bwrap),
        "landlock": seen.get("landlock", "the trial failed"),
        "seccomp": seen.get("seccomp", "the trial failed"),
        "uid": _why_no_uid(root, users, seen),
    }
    layers |= {name: f"denied by {DENY}" for name in LAYERS if name in deny}
    return Probe(
        layers,
        root,
        users if not layers["uid"] else None,
        jail_users,
        not seen.get("reach", ""),
    )


def _why_no_uid(root: bool, users: tuple[int, int] | None, seen: dict[str, str]) -> str:
    if not root:
        return "only root can give each child a user id of its own"
    if users is None:
        return "no unused user ids are mapped here"
    return seen.get("uid", "the trial failed")


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
            answer = _finish(_start(command, 1 if mapped else None))
        except ChildProcessError as failure:
            why = str(failure)
            continue
        if mapped and answer.get("uid"):
            continue
        return answer, mapped, ""
    return {}, None, why
