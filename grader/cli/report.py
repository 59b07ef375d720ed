"""`grade report`: the class page, and everything else that is written from the results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.errors import UsageError

if TYPE_CHECKING:
    from grader.classroom.store import Store


@click.command(name="report")
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--anonymous", is_flag=True,
              help="A page to show in a lecture: no names, and no group under five.")  # fmt: skip
@click.option("-o", "--output", "file", type=click.Path(path_type=Path, dir_okay=False),
              metavar="FILE", help="Where the anonymous page goes.")  # fmt: skip
def command(out: Path, anonymous: bool, file: Path | None) -> None:
    """Write OUT/index.html, the class page, for staff; reports and grades.csv are made anew too.

    Nothing is graded. With --anonymous -o FILE, only a page without anybody's name is written.
    """
    if anonymous and file is None:
        raise UsageError("the anonymous page needs a place", "Say it with -o FILE.")
    if file is not None and not anonymous:
        raise UsageError(
            "the class page has its place in OUT, beside the reports that it leads to",
            "-o goes with --anonymous.",
        )
    from grader.classroom.store import Store

    with Store(out) as store:
        paths = _all(store) if file is None else [_lecture(store, file)]
    for path in paths:
        click.echo(f"Written: {path}")


def _all(store: Store) -> list[Path]:
    from grader.classroom.batch import render_all

    return render_all(store)


def _lecture(store: Store, file: Path) -> Path:
    from grader.classroom.class_page import write_anonymous_page

    return write_anonymous_page(store, file)
