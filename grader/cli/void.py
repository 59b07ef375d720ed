"""`grade void`: take a bad check out for the whole class."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(name="void")
@click.argument("out", type=click.Path(path_type=Path))
@click.argument("check")
@click.option("--why", required=True, help="The reason; it stands in every report.")
def command(out: Path, check: str, why: str) -> None:
    """Take CHECK (as reports call it, e.g. hidden/test_x.py::test_y) out for everybody.

    Its points count neither as earned nor as possible.
    """
    from grader.classroom.batch import render_all
    from grader.classroom.decisions import holders_of
    from grader.classroom.store import Store

    with Store(out) as store:
        holders = holders_of(store, check)
        store.void(check, why.strip())
        render_all(store)
        click.echo(f"{check} no longer counts, for {holders} submissions")
