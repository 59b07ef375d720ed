"""`grade diff`: who moved between two results, by how much, through which check."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(name="diff")
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
def command(old: Path, new: Path) -> None:
    """Compare the results in two OUT folders."""
    from grader.classroom.decisions import moves
    from grader.classroom.store import Store

    with Store(old) as before, Store(new) as after:
        found = moves(before, after)
        for move in found:
            click.echo(move)
        total = len(before.expected())
        click.echo(f"{len(found)} of {total} moved" if found else f"nobody moved, of {total}")
