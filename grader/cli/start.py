"""`grade start`: one file to fill in, in a folder that remembers its assignment."""

from __future__ import annotations

import json
from pathlib import Path

import click

from grader.assignment import Assignment, find_assignment
from grader.cli.finding import REMEMBERED
from grader.errors import UsageError

METADATA = "autograd_grader"


@click.command(name="start")
@click.argument("name")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), required=False)
@click.option("--notebook", is_flag=True, help="A notebook instead of a module.")
def command(name: str, folder: Path | None, notebook: bool) -> None:
    """Put the exercise NAME into a new FOLDER (by default called like it) and say what is next."""
    assignment = find_assignment(name)
    folder = folder or Path(assignment.name)
    stub = assignment.path / f"{assignment.stub}{'.ipynb' if notebook else '.py'}"
    if not stub.is_file():
        raise UsageError(f"{assignment.name} has no {'notebook' if notebook else 'module'} form")
    target = folder / stub.name
    if target.exists():
        raise UsageError(
            f"{target} is there already", "Choose another folder; nothing was changed."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        target.write_bytes(_noted(stub, assignment) if notebook else stub.read_bytes())
        (folder / REMEMBERED).write_text(_memory(assignment), encoding="utf-8")
        handout = assignment.path / "README.md"
        if handout.is_file() and not (folder / handout.name).exists():
            (folder / "README.md").write_bytes(handout.read_bytes())
    except OSError as error:
        raise UsageError(f"{folder} cannot be written to: {error.strerror}") from None
    click.echo(f"{assignment.title}\n")
    click.echo(f"  {target}   fill it in")
    click.echo(f"  {folder / 'README.md'}   the handout\n")
    click.echo("Next:")
    if folder != Path("."):
        click.echo(f"  cd {folder}")
    click.echo("  grade")


def _memory(assignment: Assignment) -> str:
    lines = [
        "# Written by `grade start`: which assignment the files here belong to.",
        f"assignment = {json.dumps(assignment.name)}",
        f"path = {json.dumps(str(assignment.path))}",
    ]
    return "\n".join(lines) + "\n"


def _noted(stub: Path, assignment: Assignment) -> bytes:
    """The notebook with its assignment in its metadata, so that a renamed file still grades."""
    notebook = json.loads(stub.read_bytes())
    notebook["metadata"][METADATA] = {"assignment": assignment.name}
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()
