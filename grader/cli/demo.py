"""`grade demo`: the small class that ships with the project."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.assignment import Assignment, known_assignments, load_assignment
from grader.cli.finding import submission_for
from grader.cli.running import no_collection, starting
from grader.errors import UnreadableSubmission, UsageError
from grader.submission import submission_id

if TYPE_CHECKING:
    from grader.grading import Graded, Grading


@click.command(name="demo")
@click.option("--full", help="Whose report to show in full; by default the first that is partial.")
def command(full: str | None) -> None:
    """Grade an invented class of about eight, as a table, and show one report in full."""
    assignment, folder = _class()
    paths = sorted(p for p in folder.iterdir() if p.suffix in (".py", ".ipynb"))
    with starting("auto", assignment.limits, [folder.parent], warm=True) as workers:
        with no_collection():
            from grader.grading import with_grading
            from grader.report.class_table import class_table
            from grader.report.terminal import render
        rows: list[Graded] = []

        def body(grading: Grading) -> None:
            for path in paths:
                rows.append(_grade(grading, assignment, path))

        with_grading(assignment, body, start_worker=workers.worker, isolation=workers.level)
    click.echo(f"{assignment.title}: an invented class of {len(rows)}\n")
    click.echo(class_table([row.report for row in rows]))
    reports = [row.report for row in rows]
    partial = (r for r in reports if r.status == "graded" and 0 < r.score < r.max_score)
    chosen = next((r for r in reports if r.submission.id == full), None) or next(partial, None)
    if chosen is not None:
        click.echo(f"\nOne report in full, {chosen.submission.id}:\n")
        click.echo(render(chosen), nl=False)
    sys.exit(3 if any(row.report.status == "grader_failed" for row in rows) else 0)


def _grade(grading: Grading, assignment: Assignment, path: Path) -> Graded:
    try:
        submission = submission_for(path, assignment)
    except UnreadableSubmission as error:
        return grading.unreadable(submission_id(path), error)
    return grading.grade(submission)


def _class() -> tuple[Assignment, Path]:
    """The first assignment at hand that has a demo class."""
    for folder in known_assignments().values():
        assignment = load_assignment(folder)
        demo = assignment.solutions / "demo" if assignment.solutions else None
        if demo is not None and demo.is_dir():
            return assignment, demo
    raise UsageError("the demo class ships with the source checkout only")
