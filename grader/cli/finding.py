"""From a path on the command line to an assignment and a submission."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

from grader.assignment import (
    Assignment,
    enclosing_assignment,
    find_assignment,
    known_assignments,
    load_assignment,
)
from grader.errors import UnreadableSubmission, UsageError
from grader.reading import read_for
from grader.submission import Submission, read_submission

REMEMBERED = ".grade.toml"


def assignment_for(path: Path, name: str | None, solutions: Path | None) -> Assignment:
    """The assignment that was named, else the one that the place remembers.

    Raises UsageError, and UnreadableSubmission where nothing lies at `path`.
    """
    if name is not None:
        return find_assignment(name, solutions)
    if not os.path.lexists(path):
        raise UnreadableSubmission(f"there is no file {path}")
    folder = path if path.is_dir() else path.parent
    remembered = folder / REMEMBERED
    if remembered.is_file():
        return _remembered(remembered, solutions)
    enclosing = enclosing_assignment(folder)
    if enclosing is not None:
        return load_assignment(enclosing, solutions)
    known = known_assignments()
    # A file called like its assignment, or one that lies in a folder called so: solutions/NAME/...
    for called in (path.stem, *(parent.name for parent in path.resolve().parents)):
        if called in known:
            return load_assignment(known[called], solutions)
    noted = _noted(path)
    if noted is not None:
        return find_assignment(noted, solutions)
    where = "this folder" if path == Path(".") else str(path)
    names = ", ".join(sorted(known)) or "none is installed"
    raise UsageError(
        f"which assignment {where} belongs to is not known",
        f"Say it with -a NAME (known: {names}), or begin with `grade start NAME`.",
    )


def submission_for(path: Path, assignment: Assignment) -> Submission:
    """What lies at `path`. Raises UnreadableSubmission."""
    return read_for(path, assignment)


def _remembered(file: Path, solutions: Path | None) -> Assignment:
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UsageError(f"{file} cannot be read: {error}", "Say the assignment with -a.") from None
    place, name = data.get("path"), data.get("assignment")
    if isinstance(place, str) and (Path(place) / "assignment.toml").is_file():
        return load_assignment(Path(place), solutions)
    if isinstance(name, str):
        return find_assignment(name, solutions)
    raise UsageError(f"{file} names no assignment", "Say the assignment with -a.")


def _noted(path: Path) -> str | None:
    """The assignment that a notebook's metadata remembers, whatever the file is called now."""
    if path.suffix != ".ipynb" and not path.is_dir():
        return None
    try:
        return read_submission(path).assignment
    except UnreadableSubmission:
        return None
