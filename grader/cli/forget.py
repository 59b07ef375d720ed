"""`grade forget`: erase a person."""

from __future__ import annotations

from pathlib import Path

import click

from grader.errors import UsageError


@click.command(name="forget")
@click.argument("out", type=click.Path(path_type=Path))
@click.argument("submission")
def command(out: Path, submission: str) -> None:
    """Erase SUBMISSION from OUT: its results, its reports, its decisions, its names."""
    from grader.classroom.batch import render_all, report_file
    from grader.classroom.store import Store

    with Store(out) as store:
        file = report_file(store, submission)
        if not store.forget(submission):
            raise UsageError(f"{out} knows no submission with the id {submission!r}")
        for ending in (".json", ".html"):
            file.with_suffix(ending).unlink(missing_ok=True)
        render_all(store)  # sweeps away what a killed command left half written, too
        click.echo(f"{submission} is erased from {out}")
