"""Thousands of workers in a row, one call each: memory, descriptors, processes and mounts stay.

    python benchmarks/soak_workers.py [--level LEVEL] [--count N]

Exit status 1 when something grew. Linux only: it counts in /proc.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
import time
from pathlib import Path

import msgspec
import torch

from grader.student.backend import WorkerBackend
from grader.student.isolation import resolve_level
from grader.student.jail import Limits
from grader.student.proxy import Student
from grader.student.worker import messages as m
from grader.student.zygote import Zygote

SOURCE = """
import torch
kept = [torch.ones(1000)]

def double(x):
    open("left.txt", "w").write("x" * 1000) if WRITES else None
    kept.append(x)
    return x * 2
"""
SETTLED = 100  # workers after which nothing may grow
MEMORY_SLACK = 2 << 20  # bytes over all the rest; a page leaked by each worker is more


class Counts(msgspec.Struct, frozen=True):
    """What would grow if anything leaked. `memory` is bytes of written pages, of us and the zygote:
    those of files are private or shared as other programs come and go."""

    processes: int
    descriptors: int
    mounts: int
    folders: int
    memory: int

    def grown(self, before: Counts) -> list[str]:
        names = ("processes", "descriptors", "mounts", "folders")
        grown = [name for name in names if getattr(self, name) > getattr(before, name)]
        return grown + (["memory"] if self.memory > before.memory + MEMORY_SLACK else [])


def main() -> int:
    parser = argparse.ArgumentParser(description="Thousands of workers in a row leave nothing.")
    parser.add_argument("--level", default="auto")
    parser.add_argument("--count", type=int, default=5000)
    options = parser.parse_args()
    level, _ = resolve_level(options.level)
    source = f"WRITES = {level != 'confined'}\n{SOURCE}"
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, Zygote(level, Limits()) as zygote:
        tempfile.tempdir = folder
        before = None
        for number in range(options.count):
            if number == min(SETTLED, options.count // 2):
                before = counts(folder)
            if number % 1000 == 999:
                print(number + 1, counts(folder), flush=True)
            one(zygote, source)
        after = counts(folder)
        tempfile.tempdir = None
    assert before is not None
    each = (time.monotonic() - started) / options.count * 1e3
    print(f"{options.count} workers at level {level}, {each:.1f} ms each\n{before}\n{after}")
    grown = after.grown(before)
    print(f"grew: {', '.join(grown)}" if grown else "nothing grew")
    return 1 if grown else 0


def one(zygote: Zygote, source: str) -> None:
    backend = WorkerBackend(zygote.start_worker, m.Load([m.Cell("answer.py", source)]))
    loaded = backend.load()
    try:
        record = Student(backend).run("double", [torch.ones(2)])
        assert record.raised is None, record.raised
        assert torch.equal(record.returned, torch.full((2,), 2.0))
        assert not loaded.notes, loaded.notes
    finally:
        backend.close()


def counts(folder: str) -> Counts:
    ours = [os.getpid(), *descendants(os.getpid())]
    descriptors = mounts = memory = 0
    for pid in ours:
        process = Path(f"/proc/{pid}")
        descriptors += len(list((process / "fd").iterdir()))
        mounts += len((process / "mountinfo").read_text().splitlines())
        for line in (process / "smaps_rollup").read_text().splitlines():
            if line.startswith("Anonymous:"):
                memory += int(line.split()[1]) * 1024
    return Counts(len(ours), descriptors, mounts, len(os.listdir(folder)), memory)


def descendants(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            after_name = Path(f"/proc/{name}/stat").read_text(errors="replace").rpartition(")")[2]
            children.setdefault(int(after_name.split()[1]), []).append(int(name))
    found: list[int] = []
    waiting = [pid]
    while waiting:
        for child in children.get(waiting.pop(), []):
            found.append(child)
            waiting.append(child)
    return found


if __name__ == "__main__":
    sys.exit(main())
