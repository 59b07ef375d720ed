"""Keep the solutions from a student's code in somebody else's container, or refuse to grade."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from grader.errors import GraderFailed
from grader.student import jail
from grader.student.isolation import resolve_level
from grader.student.jail import Level

WITHOUT_LANDLOCK: Final = (
    "This machine has no Landlock: the code handed in ran under a user id of its own, which may "
    "not enter the grader's folder, and could open no file at all. If an import failed for that "
    "reason, tell the course staff."
)
_WITHOUT_LANDLOCK_OR_ROOT: Final = (
    "This machine has no Landlock: the code handed in could open no file at all, and that alone "
    "kept the grader's folder from it. If an import failed for that reason, tell the course staff."
)


def shut(folders: Sequence[Path]) -> tuple[Level, str]:
    """Close `folders` to every user but this one; the level to grade at, and what to say of it.

    What is said is empty where nothing is missing. Raises GraderFailed where neither another
    user nor the refusal to open files would keep a student's code from the folders.
    """
    level, lacking = resolve_level()
    if level == "process":
        raise GraderFailed(
            "code that is handed in cannot be kept from the solutions on this machine, so nothing "
            f"is graded ({'; '.join(lacking)})"
        )
    found = jail.probe()
    open_ones = [folder for folder in folders if not _close(folder)]
    if level == "jail" or not found.layers["landlock"]:
        return level, ""
    if not found.root:
        return level, _WITHOUT_LANDLOCK_OR_ROOT
    if open_ones:
        raise GraderFailed(
            f"this machine has no Landlock, and {open_ones[0]} cannot be closed to other users, so "
            "nothing is graded"
        )
    return level, WITHOUT_LANDLOCK


def _close(folder: Path) -> bool:
    """Whether nobody but this user can enter the folder now."""
    with contextlib.suppress(OSError):
        os.chmod(folder, 0o700)
    try:
        found = folder.stat()
    except OSError:
        return False
    return found.st_uid == os.geteuid() and not stat.S_IMODE(found.st_mode) & 0o077
