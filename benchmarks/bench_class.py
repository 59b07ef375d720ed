"""A class graded: a pytest for everybody, `grade batch` at full isolation, and the calls alone.

    python benchmarks/bench_class.py [--count N] [--rounds N] [--jobs N] [--long] [--scale]

(a) a fresh `python -m pytest` a submission, in-process, no isolation (`baseline_pytest.py`);
(b) `grade batch`, the whole command, at the strongest isolation that holds here;
(c) the same calls made in one warm process, bare (`bare_calls.py`).
By turns, on the same cores, on the same submissions. Each is given by the clock and in CPU time
of all its processes; the ratios are of CPU time, which other work on the machine disturbs least.
Exit status 1 where (b) is not at least 30 times as cheap as (a), or more than 4 times (c), or
where a single `grade check` needs 600 MB. `--scale` shows cost against the number of submissions
and of jobs instead. Linux only: it reads /proc.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import baseline_pytest

from grader.assignment import Assignment, find_assignment

ROOT = Path(__file__).resolve().parents[1]
NAME = "xor_by_hand"
TIMES_AS_CHEAP = 30
TIMES_THE_CALLS = 4
MOST_MEGABYTES = 600
TICK = 0.2  # seconds between two looks at memory
BASELINES = 3  # submissions that get a pytest of their own, a round


@dataclass
class Cost:
    """Seconds by the clock and of CPU, and the greatest sum of memory (PSS, MB), of a command."""

    wall: float
    cpu: float
    memory: float = 0.0
    said: str = ""


@dataclass
class Rounds:
    """Costs a submission of one way, a round each."""

    name: str
    each: list[Cost] = field(default_factory=list)

    def wall(self) -> float:
        return statistics.median(cost.wall for cost in self.each)

    def cpu(self) -> float:
        return statistics.median(cost.cpu for cost in self.each)


def main() -> int:
    parser = argparse.ArgumentParser(description="What a class costs.")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--scale", action="store_true", help="100 and 1,000; jobs 1 and 2")
    parser.add_argument("--long", action="store_true", help="with --scale: 5,000, too")
    options = parser.parse_args()
    assignment = find_assignment(NAME)
    print(machine())
    with tempfile.TemporaryDirectory(prefix="grader-bench-") as folder:
        if options.scale:
            return scale(Path(folder), options.long)
        return compare(Path(folder), assignment, options.count, options.rounds, options.jobs)


def compare(folder: Path, assignment: Assignment, count: int, rounds: int, jobs: int) -> int:
    source = make_class(folder / "class", count)
    files = sorted(source.iterdir())
    a, b, c = Rounds("(a) a pytest each"), Rounds("(b) grade batch"), Rounds("(c) the calls alone")
    for number in range(rounds):
        for place in range(BASELINES):
            file = files[(number * BASELINES + place) * len(files) // (rounds * BASELINES)]
            a.each.append(run(*baseline(assignment, file)))
        whole = run(batch(source, folder / f"out{number}", jobs))
        b.each.append(Cost(whole.wall / count, whole.cpu / count, whole.memory))
        bare = json.loads(run(python("benchmarks/bare_calls.py", *files)).said)
        c.each.append(Cost(bare["wall"], bare["cpu"]))
    print(f"{count} submissions, half of them right; {jobs} jobs; medians of {rounds} rounds\n")
    print(f"{'a submission':22} {'ms by the clock':>16} {'ms of CPU':>10}")
    for way in (a, b, c):
        print(f"{way.name:22} {way.wall() * 1e3:16.1f} {way.cpu() * 1e3:10.1f}")
    cheaper, over = a.cpu() / b.cpu(), b.cpu() / c.cpu()
    peak = max(cost.memory for cost in b.each)
    single = run(python("-m", "grader", "check", str(files[0]), "-a", NAME)).memory
    print(f"\n(a) / (b): {cheaper:.1f}, at least {TIMES_AS_CHEAP} is due")
    print(f"(b) / (c): {over:.1f}, at most {TIMES_THE_CALLS} is allowed")
    print(f"by the clock: (a) / (b) {a.wall() / b.wall():.1f}, with {jobs} jobs against one")
    print(f"memory of grade batch, all processes: {peak:.0f} MB")
    print(f"memory of grade check, all processes: {single:.0f} MB, below {MOST_MEGABYTES} is due")
    fine = cheaper >= TIMES_AS_CHEAP and over <= TIMES_THE_CALLS and single < MOST_MEGABYTES
    print("holds" if fine else "does not hold")
    return 0 if fine else 1


def scale(folder: Path, long: bool) -> int:
    counts = [100, 1_000, *([5_000] if long else [])]
    print(f"{'submissions':>11} {'jobs':>4} {'s':>8} {'ms each':>8} {'CPU ms each':>11} {'MB':>6}")
    for count in counts:
        source = make_class(folder / str(count), count)
        for jobs in (1, 2) if count == counts[0] else (2,):
            cost = run(batch(source, folder / f"out{count}-{jobs}", jobs))
            print(
                f"{count:11} {jobs:4} {cost.wall:8.1f} {cost.wall / count * 1e3:8.1f} "
                f"{cost.cpu / count * 1e3:11.1f} {cost.memory:6.0f}  "
                f"{'#' * round(cost.wall / count * 100)}",
                flush=True,
            )
    return 0


def make_class(folder: Path, count: int) -> Path:
    """Right and wrong submissions by turns, as many of each kind as there are, then again."""
    staff = ROOT / "solutions" / NAME
    kinds = [sorted((staff / kind).glob("*.py")) for kind in ("right", "wrong")]
    folder.mkdir()
    for number in range(count):
        files = kinds[number % 2]
        # Steps that share no factor with the number of files: a mixture even of a few.
        file = files[number // 2 * 37 % len(files)]
        shutil.copy(file, folder / f"s{number:05}.py")
    return folder


def python(*arguments: str | Path) -> list[str]:
    return [sys.executable, *map(str, arguments)]


def batch(source: Path, out: Path, jobs: int) -> list[str]:
    return python(
        "-m", "grader", "batch", source, "-a", NAME, "-o", out, "--jobs", str(jobs), "--quiet"
    )


def baseline(assignment: Assignment, file: Path) -> tuple[list[str], dict[str, str]]:
    folders = [assignment.checks]
    if assignment.hidden_checks is not None:
        folders.append(assignment.hidden_checks)
    variables = {
        baseline_pytest.ASSIGNMENT: str(assignment.path),
        baseline_pytest.SUBMISSION: str(file),
    }
    return python("-m", "pytest", *baseline_pytest.arguments(folders)), variables


def run(command: Sequence[str], variables: dict[str, str] | None = None) -> Cost:
    """Run a command to its end; any status but a crash of the grader is fine."""
    paths = os.pathsep.join([str(ROOT), str(ROOT / "benchmarks")])
    environment = {
        **os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": paths,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **(variables or {}),
    }  # fmt: skip
    with accounting() as account:
        began = time.perf_counter()
        process = subprocess.Popen(
            command, env=environment, cwd=ROOT, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=account.enter,
        )  # fmt: skip
        peak = Peak(process.pid)
        out, err = process.communicate()
        wall = time.perf_counter() - began
        memory = peak.stop()
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command[:6])} ... ended with {process.returncode}\n{err}")
    return Cost(wall, account.cpu, memory, out)


class Account:
    """CPU time of all that a command starts: of a control group, else of waited-for children."""

    def __init__(self) -> None:
        self.cpu = 0.0
        self._group = Path(f"/sys/fs/cgroup/cpuacct/grader-bench-{os.getpid()}")
        try:
            self._group.mkdir()
        except OSError:
            self._group = Path()
        self._before = self._children()

    def enter(self) -> None:
        """In the child, before the command."""
        if self._group.name:
            (self._group / "cgroup.procs").write_text(str(os.getpid()))

    def close(self) -> None:
        if not self._group.name:
            self.cpu = self._children() - self._before
            return
        self.cpu = int((self._group / "cpuacct.usage").read_text()) / 1e9
        with contextlib.suppress(OSError):
            self._group.rmdir()

    @staticmethod
    def _children() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime


@contextlib.contextmanager
def accounting() -> Iterator[Account]:
    account = Account()
    try:
        yield account
    finally:
        account.close()


class Peak:
    """The greatest memory (PSS) of a process and all that it started, looked at now and then."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._peak = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def stop(self) -> float:
        self._over.set()
        self._thread.join()
        return self._peak

    def _watch(self) -> None:
        while not self._over.wait(TICK):
            self._peak = max(self._peak, sum(map(megabytes, family(self._pid))))


def family(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{name}/stat").read_text(errors="replace").rpartition(")")[2]
            children.setdefault(int(fields.split()[1]), []).append(int(name))
    found = [pid]
    for one in found:
        found.extend(children.get(one, []))
    return found


def megabytes(pid: int) -> float:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


def machine() -> str:
    model = "unknown"
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.partition(": ")[2] for line in lines if line.startswith("model name"))
    cores = len(os.sched_getaffinity(0))
    load = os.getloadavg()[0]
    python_version = platform.python_version()
    return f"{model}, {cores} cores, Python {python_version}, load {load:.1f} when started"


if __name__ == "__main__":
    sys.exit(main())
