"""The command in front of the zygote's own that starts it inside bubblewrap."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from grader.student.jail import paths

SCRATCH: Final = "/own"
"""Inside: where each child mounts its own small file system. Not /tmp: Python may lie there."""

# to fork into namespaces; and, with several user ids, to give each child one and to end it
_RIGHTS: Final[tuple[str, ...]] = ("CAP_SYS_ADMIN", "CAP_SETPCAP")
_RIGHTS_WITH_USERS: Final = (*_RIGHTS, "CAP_SETUID", "CAP_SETGID", "CAP_KILL")
# the zygote's own scratch: torch's import asks for one; children mount theirs over it
_FURNITURE: Final = (
    *("--tmpfs", SCRATCH, "--proc", "/proc"),
    *("--remount-ro", "/", "--chdir", SCRATCH),
)


def prefix(users: tuple[int, int] | None, extra: Iterable[str] = ()) -> list[str]:
    """The arguments to put in front of `[sys.executable, "-I", ...]`.

    Inside there is only `paths.readable()`, the Python executable, `extra` (read-only), four
    harmless devices, /proc of a namespace of its own, and no network. `users`, a range
    (first, count) of user ids that nobody has, is for root only: then children may become one of
    1 ... count. Raises FileNotFoundError where bubblewrap is not installed.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise FileNotFoundError("bwrap is not installed")
    command = [program, "--unshare-all"]
    rights = _RIGHTS
    if users is not None:
        script = str(Path(__file__).with_name("userns.py"))
        enter = [sys.executable, "-I", "-S", script, str(users[0]), str(users[1])]
        kinds = ("ipc", "pid", "net", "uts", "cgroup-try")
        command = [*enter, program, *(f"--unshare-{kind}" for kind in kinds)]
        rights = _RIGHTS_WITH_USERS
    command += ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    for right in rights:
        command += ["--cap-add", right]
    return [*command, *_files(extra), *_FURNITURE]


def _files(extra: Iterable[str]) -> list[str]:
    """Bind mounts, each below folders that any user may enter."""
    binds = list(dict.fromkeys((*paths.readable(), *paths.executables(), *extra)))
    links = [path for path in binds if os.path.dirname(path) == "/" and os.path.islink(path)]
    folders = {str(folder) for path in (*binds, *paths.DEVICES) for folder in Path(path).parents}
    shown = {path for path in binds if os.path.isdir(path)}
    arguments = []
    for folder in sorted(folders - {"/"}):
        if not any(folder == path or folder.startswith(path + "/") for path in shown):
            arguments += ["--perms", "0755", "--dir", folder]
    for path in binds:
        if path in links:
            arguments += ["--symlink", os.readlink(path), path]
        else:
            arguments += ["--ro-bind", path, path]
    for path in paths.DEVICES:
        arguments += ["--dev-bind", path, path]
    return arguments
