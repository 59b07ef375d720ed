"""The warm process of worker_start.py: forks bare and shut-in children by turns, and times them.

`worker_start_inside.py WORKER_PY`, with [plan, count] in JSON on standard input. It imports what
a zygote does and nothing of the trusted side, which it cannot see in a jail.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import json
import os
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

WARM_UP = 3  # of each kind, not counted


def main(worker: str) -> None:
    plan, count = json.load(sys.stdin)
    plan["seccomp"] = bytes.fromhex(plan["seccomp"])
    confine = become_zygote(worker)

    def bare(child: Callable[[], None], keep: set[int]) -> int:
        pid = os.fork()
        if pid == 0:
            child()
            os._exit(0)
        return pid

    def shut(child: Callable[[], None], keep: set[int]) -> int:
        pid: int = confine.spawn(plan, lambda layers: child(), keep)
        return pid

    times: dict[str, list[float]] = {"bare": [], "shut": []}
    for _ in range(count + WARM_UP):
        times["bare"].append(one(bare))
        times["shut"].append(one(shut))
    print(json.dumps({name: values[WARM_UP:] for name, values in times.items()}))


def become_zygote(worker: str) -> Any:
    """Warm up as worker/zygote.py does; the module that shuts children in."""
    spec = importlib.util.spec_from_file_location("start", worker)
    assert spec is not None
    assert spec.loader is not None
    start = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(start)
    start._become_package()
    confine = importlib.import_module("grader_worker.confine")
    importlib.import_module("grader_worker.zygote")
    importlib.import_module("grader_worker.warmup").warm_up()
    gc.collect()
    gc.freeze()
    confine.prepare()
    return confine


def one(fork: Callable[[Callable[[], None], set[int]], int]) -> float:
    """Seconds from the fork to a child's first byte, and on until it is reaped."""
    started = time.perf_counter()
    ours, theirs = socket.socketpair()
    pid = fork(lambda: theirs.sendall(b"."), {theirs.fileno()})
    theirs.close()
    with ours:
        if not ours.recv(1):
            raise SystemExit("a child ended before it said a word")
        os.waitpid(pid, 0)
    return time.perf_counter() - started


if __name__ == "__main__":
    main(sys.argv[1])
