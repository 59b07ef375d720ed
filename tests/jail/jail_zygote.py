"""Run as a script: a warm process that forks one child a request, as the grader's own would.

`jail_zygote.py WORKER_FOLDER TESTS_FOLDER`; JSON lines in, JSON lines out. A request names a
function of jail_attacks.py, its argument (a path; none: this process's id) and the plan; the answer
tells how it went.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import time
from typing import Any

WORKER, TESTS = sys.argv[1:3]
sys.path[:0] = [WORKER, TESTS]

import confine  # noqa: E402
import jail_attacks  # noqa: E402 - found through the paths above


def main() -> None:
    jail_attacks.torch_work(0)
    gc.collect()
    gc.freeze()
    confine.prepare()
    for line in sys.stdin:
        request = json.loads(line)
        answer = globals()[f"do_{request.pop('do')}"](**request)
        print(json.dumps(answer), flush=True)


def do_state() -> dict[str, Any]:
    """What would grow if anything leaked."""
    try:
        left = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        left = None
    with open("/proc/self/mountinfo", encoding="ascii") as file:
        mounts = len(file.readlines())
    # a child is only gone for us once it is reaped; ours alone, the machine has other processes
    processes = sum(_parent_of(name) == os.getpid() for name in os.listdir("/proc"))
    return {
        "left": left,
        "mounts": mounts,
        "fds": len(os.listdir("/proc/self/fd")),
        "processes": processes,
        "pid_namespace": os.readlink("/proc/self/ns/pid_for_children"),
    }


def do_run(
    plan: dict[str, Any], attack: str, argument: str | None, seconds: float = 20.0
) -> dict[str, Any]:
    plan = _with_bytes(plan)
    reader, writer = os.pipe()

    def child(layers: list[str]) -> None:
        try:
            value = getattr(jail_attacks, attack)(parent if argument is None else argument)
            answer = {"layers": layers, "returned": value}
        except BaseException as failure:
            answer = {
                "layers": layers,
                "raised": type(failure).__name__,
                "errno": getattr(failure, "errno", None),
                "words": str(failure)[:300],
            }
        os.write(writer, json.dumps(answer).encode())

    parent = os.getpid()
    pid = confine.spawn(plan, child, {writer})
    os.close(writer)
    status, killed = _wait(pid, seconds)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read()
    return {
        **(json.loads(said) if said else {}),
        "pid": pid,
        "exit": os.waitstatus_to_exitcode(status),
        "killed": killed,
    }


def do_pairs(plan: dict[str, Any], count: int) -> dict[str, list[float]]:
    """Seconds from fork to reaped, bare and shut in by turns."""
    plan = _with_bytes(plan)
    bare: list[float] = []
    shut: list[float] = []
    for _ in range(count):
        start = time.perf_counter()
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
        middle = time.perf_counter()
        pid = confine.spawn(plan, _nothing, set())
        status = os.waitpid(pid, 0)[1]
        end = time.perf_counter()
        assert status == 0
        bare.append(middle - start)
        shut.append(end - middle)
    return {"bare": bare, "shut": shut}


def _nothing(layers: list[str]) -> None:
    pass


def _with_bytes(plan: dict[str, Any]) -> dict[str, Any]:
    return {**plan, "seccomp": bytes.fromhex(plan["seccomp"])}


def _wait(pid: int, seconds: float) -> tuple[int, bool]:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status, False
        time.sleep(0.005)
    os.kill(pid, signal.SIGKILL)
    return os.waitpid(pid, 0)[1], True


def _parent_of(name: str) -> int:
    try:
        with open(f"/proc/{name}/stat", encoding="ascii") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])
    except (OSError, ValueError, IndexError):
        return 0


if __name__ == "__main__":
    main()
