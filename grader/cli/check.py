"""`grade check`: one submission."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.assignment import Assignment
from grader.cli.finding import assignment_for, submission_for
from grader.cli.running import no_collection, starting
from grader.errors import GraderError, GraderFailed, UnreadableSubmission
from grader.submission import Cell, Submission, submission_id

if TYPE_CHECKING:
    from grader.grading import Graded
    from grader.report.page import Panel
    from grader.report.pictures.asking import Wanted
    from grader.report.pictures.records import Picture

LEVELS = ["auto", "jail", "confined", "process"]


@click.command(name="check")
@click.argument("path", type=click.Path(path_type=Path), default=Path("."))
@click.option("-a", "--assignment", "name", metavar="NAME|DIR", help="Which assignment it is.")
@click.option("-e", "--exercise", "only", multiple=True, help="Only this exercise (repeatable).")
@click.option("--json", "json_file", metavar="FILE|-", help="Write the JSON report.")
@click.option("--html", "html_file", metavar="FILE", type=click.Path(path_type=Path),
              help="Write the report as a page.")  # fmt: skip
@click.option("--seed", type=int, help="Draw other inputs.")
@click.option("--isolation", type=click.Choice(LEVELS), default="auto", show_default=True)
@click.option("--hints", type=click.IntRange(0, 3), default=1, show_default=True,
              help="How much of each ladder of hints.")  # fmt: skip
@click.option("--solutions", type=click.Path(path_type=Path, exists=True, file_okay=False),
              help="The folder of all solutions (staff).")  # fmt: skip
@click.option("--in-process", is_flag=True, help="No worker: for a debugger on one's own file.")
@click.option("--show-input", is_flag=True, help="Python that replays each failing call.")
def command(
    path: Path,
    name: str | None,
    only: tuple[str, ...],
    json_file: str | None,
    html_file: Path | None,
    seed: int | None,
    isolation: str,
    hints: int,
    solutions: Path | None,
    in_process: bool,
    show_input: bool,
) -> None:
    """Grade the submission at PATH: a .py, an .ipynb, a folder holding one, or a zip of it.

    Status 0: full marks. 1: points lost. 2: it cannot be read. 3: the grader failed.
    """
    assignment = assignment_for(path, name, solutions)
    for exercise in only:
        assignment.exercise(exercise)
    try:
        submission = submission_for(path, assignment)
    except UnreadableSubmission as error:
        if json_file is not None or html_file is not None:
            _write(assignment, _unreadable(assignment, path, error), (), json_file, html_file)
        raise
    try:
        graded, panels = _graded(
            assignment, submission, isolation, seed, only, in_process,
            "none" if html_file is None else "all",
        )  # fmt: skip
    except Exception as error:
        if json_file is not None or html_file is not None:
            failed = _failed(assignment, submission, error)
            _write(assignment, failed, submission.cells, json_file, html_file)
        raise
    _write(
        assignment, graded.document, submission.cells, json_file, html_file, panels,
        graded.pictures,
    )  # fmt: skip
    if json_file != "-":
        _show(graded, hints, show_input)
    sys.exit(graded.status)


def _graded(
    assignment: Assignment,
    submission: Submission,
    isolation: str,
    seed: int | None,
    only: tuple[str, ...],
    in_process: bool,
    pictures: Wanted,
) -> tuple[Graded, Sequence[Panel]]:
    """The grades, and for a page what else is drawn."""
    hidden = [assignment.solutions] if assignment.solutions else []
    with starting(isolation, assignment.limits, hidden, in_process=in_process) as workers:
        # Imported here: torch takes a second, and the worker is importing it meanwhile.
        with no_collection():
            from grader.grading import with_grading
        found: list[Graded] = []
        with_grading(
            assignment,
            lambda grading: found.append(grading.grade(submission)),
            start_worker=None if in_process else workers.worker,
            isolation=workers.level,
            seed=seed,
            only=only,
            pictures=pictures,
        )
        panels: Sequence[Panel] = ()
        if pictures != "none" and not in_process:
            from grader.tape.page import page_panels

            panels = page_panels(submission, assignment, workers.worker, workers.level)
    return found[0], panels


def _show(graded: Graded, hints: int, show_input: bool) -> None:
    from grader.report.terminal import render

    snippets = graded.replays if show_input else None
    click.echo(render(graded.report, hints=hints, show_input=snippets), nl=False)


def _unreadable(assignment: Assignment, path: Path, error: UnreadableSubmission) -> dict[str, Any]:
    from grader.report.build import unreadable_report
    from grader.report.document import bare_document

    return bare_document(unreadable_report(assignment, submission_id(path), error))


def _failed(assignment: Assignment, submission: Submission, error: Exception) -> dict[str, Any]:
    """The document where grading ended before it had a report: checks that cannot be collected."""
    from grader.report.build import failed_report
    from grader.report.document import bare_document

    broke = error if isinstance(error, GraderError) else GraderFailed(str(error))
    return bare_document(failed_report(assignment, submission, broke))


def _write(
    assignment: Assignment,
    document: dict[str, Any],
    cells: Sequence[Cell],
    json_file: str | None,
    html_file: Path | None,
    panels: Sequence[Panel] = (),
    pictures: Mapping[str, Sequence[Picture]] | None = None,
) -> None:
    from grader.report.document import dump
    from grader.report.files import write_atomically

    if json_file == "-":
        click.echo(dump(document).decode(), nl=False)
    elif json_file is not None:
        write_atomically(json_file, dump(document))
    if html_file is not None:
        from grader.grading import catalogue_of
        from grader.report.page import seen_document, student_page

        seen = seen_document(document, catalogue_of(assignment))
        page = student_page(seen, cells, pictures=pictures, panels=panels)
        write_atomically(html_file, page.encode())
