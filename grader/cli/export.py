"""`grade export`: the file that an LMS takes."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.misconceptions.catalogue import Misconception
    from grader.report.exporters import Request

FORMATS = (
    "gradescope", "canvas", "moodle", "moodle-gradebook", "moodle-feedback", "csv", "junit",
    "prairielearn", "coursera", "classroom50", "lti-ags", "blackboard", "brightspace", "ctrf",
    "codegrade", "jsonl",
)  # fmt: skip
_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_MOST_BYTES = 256 << 20


@click.command(name="export")
@click.argument("source", metavar="OUT|REPORT.json", type=click.Path(path_type=Path))
@click.option("--to", "name", required=True, type=click.Choice(FORMATS))
@click.option("-o", "--out", "out", required=True, metavar="FILE",
              help="Where it goes; - for standard output. Several files: a .zip.")  # fmt: skip
@click.option("--gradebook", type=_FILE, help="As Canvas, Blackboard or Brightspace exported it.")
@click.option("--worksheet", type=_FILE, help="Moodle's grading worksheet, as downloaded.")
@click.option("--roster", type=_FILE, help="A CSV of who is who: id, name, email.")
@click.option("--column", default="", help="The column to fill in, by title or id.")
@click.option("--set", "told", multiple=True, metavar="NAME=VALUE",
              help="What only the host knows, such as owner=... (repeatable).")  # fmt: skip
def command(
    source: Path,
    name: str,
    out: str,
    gradebook: Path | None,
    worksheet: Path | None,
    roster: Path | None,
    column: str,
    told: tuple[str, ...],
) -> None:
    """Write the results in OUT, or one report, in the format of an LMS.

    Students who cannot be matched for certain are listed, and get no points. Status 0: everybody
    was matched. 1: the file is written, without those listed. 2: no file is written.
    """
    from msgspec import structs

    from grader.people import Roster, read_roster
    from grader.report.exporters import export, format_of
    from grader.report.files import write_atomically

    form = format_of(name)
    if form.sheet and not (gradebook if form.sheet == "gradebook" else worksheet):
        raise UsageError(
            f"{name} fills in the {form.sheet} that the LMS gives",
            f"Download it there, and give it with --{form.sheet} FILE.",
        )
    if gradebook and worksheet:
        raise UsageError("there is one sheet to fill in", "Give --gradebook or --worksheet.")
    sheet = gradebook or worksheet
    request = structs.replace(
        request_of(source),
        sheet=_bytes(sheet) if sheet else None,
        roster=read_roster(roster) if roster else Roster(),
        settings=_settings(told, column),
    )
    data, made = export(name, request, out)
    if out == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        write_atomically(out, data)
    for line in made.said:
        click.echo(f"note: {line}", err=True)
    for line in made.unmatched:
        click.echo(f"unmatched: {line}", err=True)
    if out != "-":
        click.echo(f"{out} is written", err=True)
    sys.exit(1 if made.unmatched else 0)


def request_of(source: Path) -> Request:
    """The marks of a store, or of one report. Raises UsageError."""
    import msgspec

    from grader.classroom.marks import marks_of
    from grader.classroom.store import Store
    from grader.report.exporters import Request, mark_of
    from grader.report.model import Report

    if source.is_dir():
        with Store(source) as store:
            marks = marks_of(store)
            if not marks:
                raise UsageError(f"{source} holds no results")
            name = store.noted("assignment")

            def page(submission: str) -> bytes | None:
                file = source / "reports" / f"{submission}.html"
                return _bytes(file) if file.is_file() else None

            return Request(
                marks, title=store.noted("title"), name=name, layout=store.noted("layout"),
                catalogue=_catalogue(name), pages=page,
            )  # fmt: skip
    data = _bytes(source)
    try:
        document = msgspec.json.decode(data)
        msgspec.convert(document["grade"], Report)
        mark = mark_of(document)
    except (msgspec.MsgspecError, UnicodeDecodeError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{source} is no report of this grader: {error}",
            "`grade check --json FILE` writes one.",
        ) from None
    about = document["grade"]["assignment"]
    return Request(
        (mark,), title=about["title"], name=about["name"], catalogue=_catalogue(about["name"])
    )


def _catalogue(assignment: str) -> Mapping[str, Misconception]:
    """The words about mistakes; without the assignment's own where it is not at hand."""
    from grader.assignment import find_assignment
    from grader.misconceptions.catalogue import general, load_catalogue, merged

    own: Mapping[str, Misconception] = {}
    with contextlib.suppress(UsageError):
        file = find_assignment(assignment, None).path / "misconceptions.toml"
        own = load_catalogue(file) if file.is_file() else {}
    return merged(general(), own)


def _settings(told: tuple[str, ...], column: str) -> dict[str, str]:
    settings = {"column": column} if column else {}
    for one in told:
        name, sign, value = one.partition("=")
        if not sign or not name.strip():
            raise UsageError(f"--set {one} has no value", "It reads --set NAME=VALUE.")
        settings[name.strip()] = value
    return settings


def _bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError(f"{path} is too large")
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
