"""What shutting a worker in costs: a fork with all layers of a level beside a bare one.

    python benchmarks/worker_start.py [--count N]

Both in one warm process and by turns, from the fork to the child's first byte and its end.
Medians and their ratio, which must be at most 2.5 (else the exit status is 1). Then the whole from
outside: a worker asked for, ready to load a submission, killed and gone.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

from grader.student.jail import LEVELS, Level, Limits, bubblewrap, plan, probe, why_not
from grader.student.launch import PYTHON_OPTIONS, WORKER
from grader.student.worker.wire import read_frame
from grader.student.zygote import Zygote
from grader.student.zygote_process import environment

MOST = 2.5
INSIDE = str(Path(__file__).resolve().with_name("worker_start_inside.py"))
WARM_UP = 3


def main() -> int:
    parser = argparse.ArgumentParser(description="What shutting a worker in costs.")
    parser.add_argument("--count", type=int, default=100, help="forks of each kind")
    count = parser.parse_args().count
    within = True
    print(f"{'level':10}{'bare fork':>12}{'all layers':>12}{'ratio':>8}{'whole worker':>15}")
    for level in LEVELS:
        missing = why_not(level, probe())
        if missing:
            print(f"{level:10}does not hold here: {missing}")
            continue
        bare, shut = fork_times(level, count)
        whole = whole_time(level, count)
        print(f"{level:10}{bare:9.2f} ms{shut:9.2f} ms{shut / bare:8.2f}{whole:12.2f} ms")
        within &= shut / bare <= MOST
    print(f"ratio {'within' if within else 'ABOVE'} {MOST}")
    return 0 if within else 1


def fork_times(level: Level, count: int) -> tuple[float, float]:
    """Median ms of a bare and of a shut-in fork, in a process started as a zygote is."""
    found = probe()
    message = plan(level, Limits(), found).as_message()
    message["seccomp"] = message["seccomp"].hex()
    prefix = bubblewrap.prefix(found.jail_users, (INSIDE,)) if level == "jail" else []
    done = subprocess.run(
        [*prefix, sys.executable, *PYTHON_OPTIONS, INSIDE, str(WORKER)],
        input=json.dumps([message, count]).encode(),
        stdout=subprocess.PIPE,
        env=environment(bubblewrap.SCRATCH if prefix else "/tmp"),
        check=True,
    )
    times = json.loads(done.stdout)
    return statistics.median(times["bare"]) * 1e3, statistics.median(times["shut"]) * 1e3


def whole_time(level: Level, count: int) -> float:
    """Median ms of a worker's start to its first word, and its end."""
    times = []
    with Zygote(level, Limits()) as zygote:
        for _ in range(count + WARM_UP):
            started = time.perf_counter()
            worker = zygote.start_worker()
            read_frame(worker.connection)
            worker.close()
            times.append(time.perf_counter() - started)
    return statistics.median(times[WARM_UP:]) * 1e3


if __name__ == "__main__":
    sys.exit(main())
