"""How long after a save `grade watch` shows its verdict, beside a cold `grade check` of the same.

    python benchmarks/bench_watch.py [--rounds 7] [--staff] [--most 0.3]

One real `grade watch` runs on a terminal of its own (a pseudo-terminal; a pipe where there is
none). The clock starts before the first byte is written and stops when the last line of the new
screen has arrived, so it holds the editor's writing, the wait for the save to be over, reading,
grading in a fresh worker, and drawing. Every round saves each of the files below once, by turns
in place and by renaming, and then grades each with a cold `grade check`. Status 1 where the median
of all saves is above `--most` seconds.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = "xor_by_hand"
STAFF = ROOT / "solutions" / NAME
COMMAND = [sys.executable, "-m", "grader"]
LAST = b"Next"  # what the last paragraph of a screen begins with
PATIENCE = 60.0
PAUSE = 0.4  # between a verdict and the next save: nobody saves faster
FEWEST = 3


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="saves of each file (default: 7)")
    parser.add_argument("--staff", action="store_true", help="with the hidden checks")
    parser.add_argument("--most", type=float, default=0.3, help="seconds allowed (default: 0.3)")
    options = parser.parse_args()
    if options.rounds < FEWEST:
        parser.error(f"--rounds must be at least {FEWEST}")

    with tempfile.TemporaryDirectory(prefix="bench-watch-") as scratch:
        folder = Path(scratch)
        # Without the solutions beside it: what a student has.
        assignment = ROOT / "assignments" / NAME
        if not options.staff:
            assignment = folder / "course" / "assignments" / NAME
            shutil.copytree(
                ROOT / "assignments" / NAME,
                assignment,
                ignore=shutil.ignore_patterns("__pycache__"),
            )
        saves, checks = measured(folder, assignment, options.rounds)

    print(f"{machine()}\n")
    print(f"{'':24}save to verdict            cold check   of it")
    for name in saves:
        row(name, saves[name], checks[name])
    every = [seconds for found in saves.values() for seconds in found]
    row("all", every, [seconds for found in checks.values() for seconds in found])
    print(f"\nallowed {options.most:.2f} s, for the median of all")
    return 1 if statistics.median(every) > options.most else 0


def sources() -> dict[str, str]:
    """Three states that a student's file goes through."""
    stub = (ROOT / "assignments" / NAME / f"{NAME}.py").read_text(encoding="utf-8")
    begun = stub.replace("    raise NotImplementedError", "    return x * (x > 0)", 1)
    wrong = STAFF / "wrong" / "two_leaky_and_no_reset.py"
    return {
        "one function written": begun,
        "two mistakes": wrong.read_text(encoding="utf-8"),
        "nothing left to mend": (STAFF / "reference.py").read_text(encoding="utf-8"),
    }


def measured(
    folder: Path, assignment: Path, rounds: int
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Seconds of each save and of each cold check, by the file's state."""
    texts = sources()
    saves: dict[str, list[float]] = {name: [] for name in texts}
    checks: dict[str, list[float]] = {name: [] for name in texts}
    file = folder / "work" / f"{NAME}.py"
    file.parent.mkdir()
    file.write_text(texts["one function written"], encoding="utf-8")
    watch = Watch(file, assignment)
    try:
        watch.verdict()
        for number in range(rounds + 1):
            for name, text in texts.items():
                time.sleep(PAUSE)
                # Each save is another text: nobody could remember its verdict.
                edited = f"{text}\n# saved for the {number}th time\n"
                seconds = watch.save(edited, by_renaming=bool(number % 2))
                if number:  # the first of each imports what it needs, and is not counted
                    saves[name].append(seconds)
                    checks[name].append(seconds_of_check(file, assignment))
    finally:
        watch.end()
    return saves, checks


class Watch:
    """A `grade watch` on `file`, and what it writes."""

    def __init__(self, file: Path, assignment: Path) -> None:
        self._file = file
        self._output, theirs = terminal()
        self._process = subprocess.Popen(
            [*COMMAND, "watch", str(file), "-a", str(assignment)],
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=subprocess.STDOUT,
            env=os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "100", "LINES": "40"},
        )
        os.close(theirs)

    def save(self, text: str, by_renaming: bool) -> float:
        """Write the file; seconds until its verdict is on the screen."""
        began = time.perf_counter()
        if by_renaming:
            other = self._file.with_suffix(".new")
            other.write_text(text, encoding="utf-8")
            other.replace(self._file)
        else:
            self._file.write_text(text, encoding="utf-8")
        self.verdict()
        return time.perf_counter() - began

    def verdict(self) -> None:
        """Read until the next screen is complete."""
        seen = b""
        end = time.monotonic() + PATIENCE
        while LAST not in seen and time.monotonic() < end:
            piece = os.read(self._output, 65_536)
            if not piece:
                raise SystemExit(f"grade watch ended: {seen.decode(errors='replace')}")
            seen += piece

    def end(self) -> None:
        self._process.terminate()
        self._process.wait()
        os.close(self._output)


def terminal() -> tuple[int, int]:
    """A place to read from and a place to write to: a terminal's two ends, else a pipe's."""
    with contextlib.suppress(ImportError, AttributeError, OSError):
        return os.openpty()
    return os.pipe()


def seconds_of_check(file: Path, assignment: Path) -> float:
    began = time.perf_counter()
    done = subprocess.run(
        [*COMMAND, "check", str(file), "-a", str(assignment)],
        stdout=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    if done.returncode > 1:
        raise SystemExit(f"grade check ended with status {done.returncode}")
    return time.perf_counter() - began


def row(name: str, saves: list[float], checks: list[float]) -> None:
    save, check = statistics.median(saves), statistics.median(checks)
    spread = f"({min(saves):.2f} to {max(saves):.2f})"
    print(f"{name:24}{save:6.3f} s {spread:>16}  {check:8.2f} s   {save / check:6.1%}")


def machine() -> str:
    """What this was measured on, and how busy it was."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"{os.cpu_count()} cores ({platform.machine()}, {platform.system()}){load}, "
        f"Python {platform.python_version()}, torch {version('torch')}"
    )


if __name__ == "__main__":
    sys.exit(main())
