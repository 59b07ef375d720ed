"""`grade demo`: the small classes that ship with the project."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.assignment import Assignment, known_assignments, load_assignment
from grader.cli.finding import submission_for
from grader.cli.running import Starting, no_collection, starting
from grader.errors import UnreadableSubmission, UsageError
from grader.submission import submission_id

if TYPE_CHECKING:
    from grader.grading import Graded, Grading
    from grader.report.model import Report


@click.command(name="demo")
@click.argument("name", required=False)
@click.option("--full", help="Whose report to show in full; by default the first that is partial.")
def command(name: str | None, full: str | None) -> None:
    """Grade small invented classes, each as a table, and show one report in full.

    All that ship with the project, or that of the assignment NAME alone.
    """
    classes = _classes(name)
    hidden = [folder.parent for _, folder in classes]
    reports: list[Report] = []
    # Workers are made for limits: assignments that have the same share what theirs are forked from.
    for limits, alike in itertools.groupby(classes, key=lambda pair: pair[0].limits):
        with starting("auto", limits, hidden, warm=True) as workers:
            for assignment, folder in alike:
                reports += _class(assignment, _submissions(folder), workers)
    with no_collection():
        from grader.report.terminal import render
    partial = (r for r in reports if r.status == "graded" and 0 < r.score < r.max_score)
    chosen = next((r for r in reports if r.submission.id == full), None) or next(partial, None)
    if chosen is not None:
        click.echo(f"One report in full, {chosen.submission.id}:\n")
        click.echo(render(chosen), nl=False)
    sys.exit(3 if any(report.status == "grader_failed" for report in reports) else 0)


def _class(assignment: Assignment, paths: Sequence[Path], workers: Starting) -> list[Report]:
    """Grade one class and show its table."""
    # Imported here: torch takes a second, and what workers are forked from imports it meanwhile.
    with no_collection():
        from grader.grading import with_grading
        from grader.report.class_table import class_table
    reports: list[Report] = []

    def body(grading: Grading) -> None:
        reports.extend(_grade(grading, assignment, path).report for path in paths)

    with_grading(assignment, body, start_worker=workers.worker, isolation=workers.level)
    click.echo(f"{assignment.title}: an invented class of {len(reports)}\n")
    click.echo(class_table(reports))
    return reports


def _grade(grading: Grading, assignment: Assignment, path: Path) -> Graded:
    try:
        submission = submission_for(path, assignment)
    except UnreadableSubmission as error:
        return grading.unreadable(submission_id(path), error)
    return grading.grade(submission)


def _submissions(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in (".py", ".ipynb"))


def _classes(name: str | None) -> list[tuple[Assignment, Path]]:
    """The assignments at hand that have an invented class, most submissions first."""
    found = []
    for folder in known_assignments().values():
        if name not in (None, folder.name):
            continue
        assignment = load_assignment(folder)
        demo = assignment.solutions / "demo" if assignment.solutions else None
        if demo is not None and demo.is_dir():
            found.append((assignment, demo))
    if not found:
        raise UsageError(
            "the demo classes ship with the source checkout only"
            if name is None
            else f"no assignment {name} with an invented class is at hand"
        )
    return sorted(found, key=lambda pair: -len(_submissions(pair[1])))
