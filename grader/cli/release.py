"""`grade release`: a bundle for students, or for a host that grades by itself."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.assignment import Assignment, find_assignment

if TYPE_CHECKING:
    from grader.authoring.release.bundle import Bundle

HOSTS = ["students", "gradescope", "prairielearn", "classroom50", "coursera"]
# These hold the model answer and the hidden checks.
_STAFFS = ("gradescope", "prairielearn", "coursera")


@click.command(name="release")
@click.argument("name", metavar="NAME|DIR")
@click.option("--for", "host", type=click.Choice(HOSTS), required=True, help="Who is to get it.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), required=True,
              metavar="FILE", help="The zip to write.")  # fmt: skip
@click.option("--solutions", type=click.Path(path_type=Path, exists=True, file_okay=False),
              help="The folder of all solutions.")  # fmt: skip
@click.option("--image", default="", metavar="NAME",
              help="The container image that PrairieLearn or Coursera is to use.")  # fmt: skip
def command(name: str, host: str, output: Path, solutions: Path | None, image: str) -> None:
    """Write the bundle of assignment NAME for one host as a zip.

    Those for students and for Classroom 50 hold no answer and no hidden check: where one has got
    into the assignment's folder, nothing is written. The others are staff's alone.
    """
    # Imported here: `grade --help` needs none of it.
    from grader.report.files import write_atomically

    assignment = find_assignment(name, solutions)
    module = importlib.import_module(f"grader.authoring.release.{host}")
    build: Callable[[Assignment, str], Bundle] = module.build
    bundle = build(assignment, image)
    data = bundle.zipped()
    write_atomically(output, data)
    files = sum(1 for _ in bundle)
    click.echo(f"{output}: {files} files, {len(data) / 1e6:.1f} MB")
    if host in _STAFFS:
        click.echo("It holds the model answer and the hidden checks: staff's alone.")
    elif assignment.solutions is None:
        click.echo("The solutions are not at hand, so nobody looked whether one lies in it.")
    else:
        click.echo("Searched for the solutions and the hidden checks: none of them is in it.")
