"""Cold `grade check` of the model answer beside `python -c "import torch"`, whole processes.

    python benchmarks/bench_cold_check.py [--runs 9] [--most 1.8]

The two take turns, so that a busy moment of the machine meets both. Printed: both medians, and
the median of the ratios of neighbours. Status 1 where that is above `--most`.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BARE = [sys.executable, "-c", "import torch"]
CHECK = [
    sys.executable, "-m", "grader", "check",
    str(ROOT / "solutions" / "xor_by_hand" / "reference.py"), "-a", "xor_by_hand",
]  # fmt: skip
FEWEST = 7


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9, help="pairs of runs (default: 9)")
    parser.add_argument("--most", type=float, default=1.8, help="the ratio allowed (default: 1.8)")
    options = parser.parse_args()
    if options.runs < FEWEST:
        parser.error(f"--runs must be at least {FEWEST}")

    # Imported once each: what is measured starts cold, but from a disk that was read before.
    seconds_of(BARE)
    seconds_of(CHECK)
    pairs = [(seconds_of(BARE), seconds_of(CHECK)) for _ in range(options.runs)]

    bare = statistics.median(pair[0] for pair in pairs)
    check = statistics.median(pair[1] for pair in pairs)
    ratios = sorted(pair[1] / pair[0] for pair in pairs)
    ratio = statistics.median(ratios)
    print(f"{machine()}\n")
    print(f"import torch       {bare:6.2f} s   median of {len(pairs)}")
    print(f"grade check        {check:6.2f} s   median of {len(pairs)}")
    print(f"ratio of a pair    {ratio:6.2f}     median; {ratios[0]:.2f} to {ratios[-1]:.2f}")
    print(f"allowed            {options.most:6.2f}")
    return 1 if ratio > options.most else 0


def seconds_of(command: list[str]) -> float:
    """Wall time of a whole process. It must end well."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    return time.perf_counter() - began


def machine() -> str:
    """What this was measured on, and how busy it was."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"{os.cpu_count()} cores ({platform.machine()}, {platform.system()}){load}, "
        f"Python {platform.python_version()}, torch {version('torch')}"
    )


if __name__ == "__main__":
    sys.exit(main())
