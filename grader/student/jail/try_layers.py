"""Run as a script: tries each layer for real, in a child of its own, and prints what came of it.

`try_layers.py WORKER_FOLDER`, with a JSON object on standard input: `filter` (hex), `own_pid_at`,
`uid` (or null), `scratch` and `python` (a file that a child must be able to read). The answer, in
JSON, gives each layer "" or the reason why it does not hold.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any


def main(worker: str) -> None:
    sys.path.insert(0, worker)
    import confine  # type: ignore[import-not-found] # its folder is known only now

    request = json.load(sys.stdin)
    uid = request["uid"]

    def landlock() -> None:
        rules = confine._landlock_rules([], [])
        confine._prctl(confine._PR_SET_NO_NEW_PRIVS, 1)
        confine._check(confine._libc().syscall(confine._RESTRICT_SELF, rules, 0))
        _refused(lambda: os.listdir("/"), "a folder could still be read")

    def seccomp() -> None:
        confine._prctl(confine._PR_SET_NO_NEW_PRIVS, 1)
        confine._filter_calls(bytes.fromhex(request["filter"]), request["own_pid_at"])
        _refused(os.fork, "a process could still be forked")

    def become() -> None:
        confine._drop_rights(uid, [])

    def reach() -> None:
        confine._drop_rights(uid, [])
        with open(request["python"], "rb"):
            pass

    def mount() -> None:
        confine._mount_scratch(request["scratch"], 1 << 20, uid)
        confine._drop_rights(uid, [])
        with open(os.path.join(request["scratch"], "file"), "wb") as file:
            file.write(b"1")

    trials: dict[str, Callable[[], None]] = {"landlock": landlock, "seccomp": seccomp}
    if uid is not None:
        trials |= {"uid": become, "reach": reach}
    if request["scratch"]:
        trials["mount"] = mount
    answer: dict[str, Any] = {name: _in_child(trial) for name, trial in trials.items()}

    def first() -> None:
        if os.getpid() != 1:
            raise OSError("not the first process of its namespace")

    if request["scratch"]:
        try:
            with confine._new_pid_namespace(True):
                answer["pid"] = _in_child(first)
        except OSError as failure:
            answer["pid"] = str(failure)
    print(json.dumps(answer))


def _refused(action: Callable[[], object], otherwise: str) -> None:
    try:
        action()
    except PermissionError:
        return
    raise OSError(otherwise)


def _in_child(trial: Callable[[], None]) -> str:
    """ "" if the trial went well in a forked child, else its words."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        words = b"."
        try:
            trial()
        except BaseException as failure:
            words = str(failure).encode() or b"failed"
        os.write(writer, words)
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as pipe:
        words = pipe.read()
    os.waitpid(pid, 0)
    return "" if words == b"." else words.decode() or "the trial's process died"


if __name__ == "__main__":
    main(sys.argv[1])
