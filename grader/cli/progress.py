"""How far a batch is: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections import Counter
from typing import Any

import click

_LINES = 10  # plain lines for a whole run, at most


class Progress:
    """Counts, rate, time left, running tallies. Writes to standard error."""

    def __init__(self, total: int, done_before: int, quiet: bool) -> None:
        self._total = total
        self._before = done_before
        self._quiet = quiet
        self._tallies: Counter[str] = Counter()
        self._count = 0
        self._started = time.monotonic()
        self._bar: Any = None
        self._job: Any = None

    def __enter__(self) -> Progress:
        if self._quiet:
            return self
        if self._before:
            click.echo(f"{self._before} are done and unchanged", err=True)
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                TextColumn,
                TimeRemainingColumn,
            )
            from rich.progress import Progress as Bar

            self._bar = Bar(
                MofNCompleteColumn(),
                BarColumn(),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(),
                TextColumn("{task.fields[tallies]}"),
                console=Console(stderr=True),
            )
            self._bar.start()
            self._job = self._bar.add_task("", total=self._total, rate="", tallies="")
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def finished(self, grade: dict[str, Any]) -> None:
        """One more is done."""
        self._count += 1
        self._tallies[_tally(grade)] += 1
        if self._quiet:
            return
        rate = f"{self._count / max(time.monotonic() - self._started, 1e-6):.1f} a second"
        tallies = ", ".join(f"{count} {name}" for name, count in self._tallies.most_common())
        if self._bar is not None:
            self._bar.update(self._job, advance=1, rate=rate, tallies=tallies)
        elif self._count == self._total or self._count % max(1, self._total // _LINES) == 0:
            click.echo(f"{self._count} of {self._total}, {rate}: {tallies}", err=True)

    def stopped(self, kept: int) -> None:
        """The command was interrupted: say what is safe, `kept` of those that were to be graded.

        That may be more than were heard of: results are stored first.
        """
        left = self._total - kept
        click.echo(
            f"stopped: {kept} of {self._total} are done and kept, {left} are left. "
            "The same command goes on from there.",
            err=True,
        )


def _tally(grade: dict[str, Any]) -> str:
    if grade["status"] == "unreadable":
        return "unreadable"
    if grade["status"] == "grader_failed":
        return "grader failed"
    return "full marks" if grade["score"] >= grade["max_score"] else "points lost"
