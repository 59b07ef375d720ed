"""`grade override`: a TA's decision on one exercise of one submission."""

from __future__ import annotations

from pathlib import Path

import click

from grader.errors import UsageError


@click.command(name="override")
@click.argument("out", type=click.Path(path_type=Path))
@click.argument("submission")
@click.argument("exercise")
@click.argument("points", type=float, required=False)
@click.option("--why", required=True, help="The reason; it stands in the report.")
@click.option("--reject", "slug", metavar="SLUG", help="The name given there is wrong.")
def command(
    out: Path, submission: str, exercise: str, points: float | None, why: str, slug: str | None
) -> None:
    """Give SUBMISSION these POINTS for EXERCISE, or reject the name of a mistake.

    The grader's own result stays beside it, and the decision is kept when the class is graded
    again.
    """
    from grader.classroom.batch import render_all
    from grader.classroom.decisions import check_points, check_slug
    from grader.classroom.store import Store

    if points is None and slug is None:
        raise UsageError("nothing is decided", "Give POINTS, or --reject SLUG.")
    if not why.strip():
        raise UsageError("a decision needs its reason", "Say it with --why.")
    with Store(out) as store:
        before, most = check_points(store, submission, exercise, points)
        if slug is not None:
            check_slug(store, submission, exercise, slug)
        store.override(submission, exercise, points, why.strip(), slug or "")
        render_all(store)
        if points is not None:
            click.echo(f"{submission}, {exercise}: {before:g} -> {points:g} of {most:g} points")
        if slug is not None:
            count = sum(one.rejected == slug for one in store.overrides())
            click.echo(f"{submission}, {exercise}: {slug} rejected (rejected {count} times so far)")
