"""`grade graph`: the tape of a submission, or of a file that only makes tensors."""

from __future__ import annotations

import ast
import contextlib
import sys
from pathlib import Path

import click

from grader.assignment import Assignment, Limits, known_assignments, load_assignment
from grader.cli.finding import REMEMBERED, assignment_for, submission_for
from grader.cli.running import Starting, no_collection, starting
from grader.errors import AssignmentError, UnreadableSubmission, UsageError
from grader.student.jail import LEVELS
from grader.submission import Cell, Submission, read_submission
from grader.submission.files import PYTHON_SUFFIXES


@click.command(name="graph")
@click.argument("path", type=click.Path(path_type=Path), default=Path("."))
@click.option("-a", "--assignment", "name", metavar="NAME|DIR", help="Which assignment it is.")
@click.option("--svg", "picture", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Draw it, too.")  # fmt: skip
@click.option("--isolation", type=click.Choice(["auto", *LEVELS]), default="auto",
              show_default=True)  # fmt: skip
@click.option("--solutions", type=click.Path(path_type=Path, exists=True, file_okay=False),
              help="The folder of all solutions (staff).")  # fmt: skip
def command(
    path: Path, name: str | None, picture: Path | None, isolation: str, solutions: Path | None
) -> None:
    """Show what autograd recorded: what hangs on what, and where it is cut.

    PATH is a submission, or a file that only makes tensors (`b = a * 2`), as on a blackboard.

    Status 0: every path holds. 1: one is cut, or there was nothing to record. 2: it cannot be
    read. 3: the grader failed.
    """
    alone = _board(path, name, solutions)
    if alone is not None:
        with starting(isolation, Limits(), _hidden(solutions)) as workers:
            sys.exit(_show_board(alone, workers, picture))
    assignment = assignment_for(path, name, solutions)
    if assignment.graph is None:
        raise UsageError(
            f"{assignment.name} does not say what to draw",
            "Its assignment.toml needs a table [graph] with steps and leaves.",
        )
    submission = submission_for(path, assignment)
    hidden = [assignment.solutions] if assignment.solutions else []
    with starting(isolation, assignment.limits, hidden) as workers:
        sys.exit(_show(assignment, submission, workers, picture))


def _show(
    assignment: Assignment, submission: Submission, workers: Starting, picture: Path | None
) -> int:
    # Imported here: torch takes a second, and the worker is importing it meanwhile.
    with no_collection():
        from grader.tape.story import record_story
        from grader.tape.terminal import Style, render

    story = record_story(submission, assignment, assignment.oracle, workers.worker, workers.level)
    staff = assignment.oracle != assignment.library
    other = "the reference's" if staff else "the library's"
    click.echo(render(story, assignment.title, other, Style.here()), nl=False)
    if picture is not None:
        from grader.tape.panel import picture_of

        _write(picture, picture_of(story, other))
    return 0 if story.whole else 1


def _show_board(submission: Submission, workers: Starting, picture: Path | None) -> int:
    with no_collection():
        from grader.tape.board import Board
        from grader.tape.recording import record_board
        from grader.tape.terminal import Style, render_board

    board = Board(record_board(submission, workers.worker, workers.level, Limits()))
    if not board.tensors and not board.told():
        raise UsageError(
            f"{submission.name} makes no tensors at its top level, and none of the functions of "
            "an assignment",
            "If it is a submission, say of which assignment with -a NAME.",
        )
    click.echo(render_board(board, Style.here()), nl=False)
    if picture is not None and board.begun:
        from grader.tape.panel import picture_of_board

        _write(picture, picture_of_board(board))
    return 0 if board.begun else 1


def _write(place: Path, text: str) -> None:
    from grader.report.files import write_atomically

    write_atomically(str(place), text.encode())
    click.echo(f"Drawn into {place}", err=True)


def _board(path: Path, name: str | None, solutions: Path | None) -> Submission | None:
    """The file, where it belongs to no assignment: no name, no memory, none of the functions."""
    if name is not None or not path.is_file() or path.suffix not in PYTHON_SUFFIXES:
        return None
    if (path.parent / REMEMBERED).is_file():
        return None
    try:
        submission = read_submission(path)
    except UnreadableSubmission:
        return None
    defined = {found for cell in submission.cells for found in _defined(cell)}
    exercises = {
        exercise.name for assignment in _known(solutions) for exercise in assignment.exercises
    }
    return None if submission.assignment or defined & exercises else submission


def _defined(cell: Cell) -> set[str]:
    """Names of functions and classes, at any depth, and of what is assigned or imported."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(cell.source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name)
    return names


def _known(solutions: Path | None) -> list[Assignment]:
    found = []
    for folder in known_assignments().values():
        # A broken one, or one without solutions there, is no matter of this file's.
        with contextlib.suppress(AssignmentError, UsageError):
            found.append(load_assignment(folder, solutions))
    return found


def _hidden(solutions: Path | None) -> list[Path]:
    return [known.solutions for known in _known(solutions) if known.solutions is not None]
