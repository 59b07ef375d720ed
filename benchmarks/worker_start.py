"""What shutting a worker in costs: a worker of each level beside a bare fork of the same process.

    python benchmarks/worker_start.py [--count N]

In one warm process, by turns: fork and be ready to serve, then be killed and reaped; bare, and
with all layers of a level. Medians, and their ratio, which must hold at most 2.5 (else the exit
status is 1). Then the same from outside, as a command waits for it.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

MOST = 2.5
ROOT = Path(__file__).resolve().parents[1]
HERE = str(Path(__file__).resolve())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=100)
    count = parser.parse_args().count
    sys.path.insert(0, str(ROOT))
    jail = importlib.import_module("grader.student.jail")
    status = 0
    print(f"{'level':10}{'bare fork':>12}{'all layers':>12}{'ratio':>8}{'from outside':>15}")
    for level in jail.LEVELS:
        missing = jail.why_not(level, jail.probe())
        if missing:
            print(f"{level:10}does not hold here: {missing}")
            continue
        times = inside_times(level, count)
        bare, shut = (statistics.median(times[name]) * 1e3 for name in ("bare", "shut"))
        outside = statistics.median(outside_times(level, count)) * 1e3
        print(f"{level:10}{bare:9.2f} ms{shut:9.2f} ms{shut / bare:8.2f}{outside:12.2f} ms")
        status |= shut / bare > MOST
    return status


def inside_times(level: Any, count: int) -> dict[str, list[float]]:
    """Both kinds, measured in a process that is started as the zygote is."""
    jail = importlib.import_module("grader.student.jail")
    bubblewrap = importlib.import_module("grader.student.jail.bubblewrap")
    launch = importlib.import_module("grader.student.launch")
    zygote_process = importlib.import_module("grader.student.zygote_process")
    plan = jail.plan(level, jail.Limits(), jail.probe()).as_message()
    plan["seccomp"] = plan["seccomp"].hex()
    prefix = bubblewrap.prefix(jail.probe().jail_users, (HERE,)) if level == "jail" else []
    done = subprocess.run(
        [*prefix, sys.executable, *launch.PYTHON_OPTIONS, HERE, "--inside"],
        input=json.dumps([str(launch.WORKER), plan, count]).encode(),
        stdout=subprocess.PIPE,
        env=zygote_process.environment(bubblewrap.SCRATCH if prefix else "/tmp"),
        check=True,
    )
    times: dict[str, list[float]] = json.loads(done.stdout)
    return times


def outside_times(level: Any, count: int) -> list[float]:
    """From asking for a worker to its first word, its end included."""
    jail = importlib.import_module("grader.student.jail")
    zygote_module = importlib.import_module("grader.student.zygote")
    wire = importlib.import_module("grader.student.worker.wire")
    times = []
    with zygote_module.Zygote(level, jail.Limits()) as zygote:
        for number in range(count + 3):
            started = time.perf_counter()
            worker = zygote.start_worker()
            wire.read_frame(worker.connection)
            worker.close()
            if number >= 3:
                times.append(time.perf_counter() - started)
    return times


def inside() -> None:
    """Runs in the warm process; imports what a zygote does, and nothing of the trusted side."""
    worker, plan, count = json.load(sys.stdin)
    plan["seccomp"] = bytes.fromhex(plan["seccomp"])
    spec = importlib.import_module("importlib.util").spec_from_file_location("start", worker)
    start = importlib.import_module("importlib.util").module_from_spec(spec)
    spec.loader.exec_module(start)
    start._become_package()
    confine = importlib.import_module("grader_worker.confine")
    serving = importlib.import_module("grader_worker.serving")
    importlib.import_module("grader_worker.warmup").warm_up()
    gc = importlib.import_module("gc")
    gc.collect()
    gc.freeze()
    confine.prepare()

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
    for number in range(count + 3):
        for name, fork in (("bare", bare), ("shut", shut)):
            seconds = one(fork, serving.serve)
            if number >= 3:
                times[name].append(seconds)
    print(json.dumps(times))


def one(
    fork: Callable[[Callable[[], None], set[int]], int], serve: Callable[[socket.socket], None]
) -> float:
    started = time.perf_counter()
    ours, theirs = socket.socketpair()
    pid = fork(lambda: serve(theirs), {theirs.fileno()})
    theirs.close()
    if not ours.recv(4096):
        raise SystemExit("a worker ended before its first word")
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    ours.close()
    return time.perf_counter() - started


if __name__ == "__main__":
    if sys.argv[1:] == ["--inside"]:
        inside()
    else:
        sys.exit(main())
