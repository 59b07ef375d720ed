"""`grade watch`: one submission, graded again at every save."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.check import LEVELS
from grader.cli.finding import assignment_for
from grader.cli.running import no_collection, starting
from grader.errors import UnreadableSubmission, UsageError
from grader.student.isolation import forks

if TYPE_CHECKING:
    from grader.grading import Graded, Grading

# Where nothing can be forked each worker takes seconds to come up. One judges what was handed in,
# another follows through with the library's pieces.
SPARE_WORKERS = 2


@click.command(name="watch")
@click.argument("path", type=click.Path(path_type=Path), default=Path("."))
@click.option("-a", "--assignment", "name", metavar="NAME|DIR", help="Which assignment it is.")
@click.option("-e", "--exercise", "only", multiple=True, help="Only this exercise (repeatable).")
@click.option("--json", "json_file", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the JSON report of each run.")  # fmt: skip
@click.option("--seed", type=int, help="Draw other inputs.")
@click.option("--isolation", type=click.Choice(LEVELS), default="auto", show_default=True)
@click.option("--hints", type=click.IntRange(0, 3), default=1, show_default=True,
              help="How much of each ladder of hints.")  # fmt: skip
@click.option("--solutions", type=click.Path(path_type=Path, exists=True, file_okay=False),
              help="The folder of all solutions (staff).")  # fmt: skip
@click.option("--show-input", is_flag=True, help="Python that replays the failing call.")
def command(
    path: Path,
    name: str | None,
    only: tuple[str, ...],
    json_file: Path | None,
    seed: int | None,
    isolation: str,
    hints: int,
    solutions: Path | None,
    show_input: bool,
) -> None:
    """Grade the submission at PATH now and at every save, until Ctrl-C.

    PATH is a .py, an .ipynb or a folder that holds one. Says what a save changed and what is next.
    """
    assignment = assignment_for(path, name, solutions)
    for exercise in only:
        assignment.exercise(exercise)
    if not path.exists():
        raise UnreadableSubmission(f"there is no file {path}")
    if json_file is not None and json_file.is_dir():
        raise UsageError(f"{json_file} is a folder", "Name a file for the report.")
    hidden = [assignment.solutions] if assignment.solutions else []
    with starting(isolation, assignment.limits, hidden, warm=True) as workers:
        # Imported here: torch takes a second, and the worker is importing it meanwhile.
        from grader.watching.display import display_here

        display = display_here()
        display.busy("starting: it takes a moment until torch is there")
        with no_collection():
            from grader.grading import with_grading
            from grader.watching.session import Session
            from grader.watching.spare import Spares
        spares = Spares(workers.worker, 0 if forks() else SPARE_WORKERS)

        def watch(grading: Grading) -> None:
            Session(
                path, assignment, grading, spares, display, hints=hints, show_input=show_input,
                wrote=lambda graded: _write(graded, json_file),
            ).run()  # fmt: skip

        try:
            spares.refill()
            with_grading(
                assignment,
                watch,
                start_worker=spares.worker,
                isolation=workers.level,
                seed=seed,
                only=only,
            )
        finally:
            spares.close()


def _write(graded: Graded, file: Path | None) -> None:
    if file is None:
        return
    from grader.report.document import dump
    from grader.report.files import write_atomically

    write_atomically(file, dump(graded.document))
