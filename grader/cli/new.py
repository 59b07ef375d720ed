"""`grade new`: for authors, an assignment that works from the first day."""

from __future__ import annotations

from pathlib import Path

import click

from grader.assignment import known_assignments
from grader.errors import UsageError


@click.command(name="new")
@click.argument("name")
@click.argument("folder", metavar="[DIR]", default=Path("."), required=False,
                type=click.Path(path_type=Path, file_okay=False))  # fmt: skip
@click.option("--title", default="", help="What students read; by default NAME in words.")
def command(name: str, folder: Path, title: str) -> None:
    """Make a new assignment NAME in DIR: a small one that works, to be changed.

    Its public files go to DIR/assignments/NAME, the staff's to DIR/solutions/NAME. Lines that say
    CHANGE are yours to change. Nothing that exists is overwritten.
    """
    from grader.authoring.new.names import checked_name, title_of
    from grader.authoring.new.skeleton import write_skeleton

    checked_name(name)
    title = " ".join(title.split()) or title_of(name)
    if any(character in title for character in '"\\') or not title.isprintable():
        raise UsageError("a title is one line without quotation marks and backslashes")
    known = known_assignments(folder)
    if name in known:
        raise UsageError(
            f"there is an assignment {name} in {known[name].parent}", "Choose another name."
        )
    made = write_skeleton(name, title, folder)
    click.echo(f"{title}\n")
    click.echo(f"  {made.public}   what students may see")
    click.echo(f"  {made.staff}   what is staff's alone\n")
    click.echo("Next: look for CHANGE in both, and after each change")
    if folder != Path("."):
        click.echo(f"  cd {folder}")
    click.echo(f"  grade audit {name}")
