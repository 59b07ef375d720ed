"""`grade audit`: for authors, whether the checks catch what they should."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import click

from grader.assignment import find_assignment
from grader.cli.check import LEVELS

QUIET_SECONDS = 2.0
LINE_SECONDS = 15.0


@click.command(name="audit")
@click.argument("name")
@click.option("-e", "--exercise", "only", multiple=True, help="Only this exercise (repeatable).")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes that grade; default: cores.")
@click.option("--isolation", type=click.Choice(LEVELS), default="auto", show_default=True)
@click.option("--solutions", type=click.Path(path_type=Path, exists=True, file_okay=False),
              help="The folder of all solutions.")  # fmt: skip
@click.option("--every-mutant", is_flag=True, help="A line for each mutant: who caught it.")
def command(
    name: str,
    only: tuple[str, ...],
    jobs: int | None,
    isolation: str,
    solutions: Path | None,
    every_mutant: bool,
) -> None:
    """Do the checks of NAME pass what is right, and catch and name what is wrong?

    Grades the model answer, every right and wrong submission, the stub, the library pieces,
    mutants of the model answer, and answers that do nothing. Status 1 when something gets through.
    """
    from grader.authoring.audit import audit
    from grader.authoring.audit_table import audit_table

    assignment = find_assignment(name, solutions)
    progress = _Progress()
    try:
        found = audit(
            assignment, only, jobs=jobs or _cores(), isolation=isolation, heard=progress.heard
        )
    finally:
        progress.clear()
    click.echo(audit_table(found, every_mutant=every_mutant), nl=False)
    sys.exit(0 if found.passed else 1)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Progress:
    """How far it is, on stderr, once it takes long: a line that changes, or one now and then."""

    def __init__(self) -> None:
        self._next = time.monotonic() + QUIET_SECONDS
        self._shown = False
        self._live = sys.stderr is not None and sys.stderr.isatty()

    def heard(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (0.2 if self._live else LINE_SECONDS)
        text = f"audit: {done} of {total} submissions graded"
        click.echo(f"\r{text}" if self._live else text, err=True, nl=not self._live)
        self._shown = True

    def clear(self) -> None:
        if self._live and self._shown:
            click.echo("\r\x1b[K", err=True, nl=False)
