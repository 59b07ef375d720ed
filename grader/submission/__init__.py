"""Reading what was handed in: a `.py`, a `.ipynb`, a folder that holds one, a zip of either.

Nothing is executed and nothing is unpacked to disk. What cannot be read raises
UnreadableSubmission with one line that says why; single bad cells of a notebook become notes.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from grader.errors import UnreadableSubmission
from grader.submission.archive import candidates_in_zip, safe_members
from grader.submission.decoding import decode
from grader.submission.files import (
    PYTHON_SUFFIXES,
    Candidate,
    candidates_in,
    cannot_open,
    choose,
    is_litter,
    limit_of,
    read_regular,
)
from grader.submission.identity import submission_id, unique_ids
from grader.submission.notebook import looks_like_notebook, read_notebook, readable_cells
from grader.submission.parsing import NotPython, blamed, parse, top_level_await
from grader.submission.records import (
    DEFAULT_LIMITS,
    Cell,
    Note,
    ReadLimits,
    Submission,
    SubmittedFile,
    display_place,
    locate,
    shown,
)

__all__ = [
    "Cell",
    "Note",
    "ReadLimits",
    "Submission",
    "SubmittedFile",
    "display_place",
    "is_litter",
    "locate",
    "read_submission",
    "safe_members",
    "stub_digest",
    "submission_id",
    "unique_ids",
]


def read_submission(
    path: str | os.PathLike[str],
    *,
    stub_name: str | None = None,
    stub_digests: frozenset[str] = frozenset(),
    limits: ReadLimits = DEFAULT_LIMITS,
) -> Submission:
    """Read one submission; its id is `unique_ids` of the path alone.

    `stub_name` is the stub's file name (with or without its ending), `stub_digests` what
    `stub_digest` gives for its two forms: of several files the one that is no longer the stub is
    taken, then the one of that name. Raises UnreadableSubmission only.
    """
    place = Path(path)
    candidate, notes = _candidate(place, stub_name, stub_digests, limits)
    data = candidate.read(limit_of(candidate.suffix, limits))
    cells, met, assignment = _cells(candidate, data, limits)
    return Submission(
        id=unique_ids([place])[place],
        files=(SubmittedFile(shown(candidate.name, 200), hashlib.sha256(data).hexdigest()),),
        name=shown(candidate.base, 200),
        cells=cells,
        notes=notes + met,
        assignment=assignment,
    )


def stub_digest(name: str, data: bytes) -> str:
    """A sha256 of the source alone: line ends, blanks at line ends, outputs make no difference.

    `name` decides between module and notebook. Never raises: what cannot be decoded is hashed
    as it is.
    """
    try:
        text = decode(data, name, python=not name.lower().endswith(".ipynb"))
        if name.lower().endswith(".ipynb"):
            text = "\n".join(source or "" for source in read_notebook(text, name).sources)
    except UnreadableSubmission:
        return hashlib.sha256(data).hexdigest()
    lines = [line.rstrip() for line in text.split("\n")]
    return hashlib.sha256("\n".join(lines).strip().encode(errors="replace")).hexdigest()


def _candidate(
    place: Path, stub_name: str | None, stub_digests: frozenset[str], limits: ReadLimits
) -> tuple[Candidate, tuple[Note, ...]]:
    name = place.name or str(place)
    try:
        if place.is_symlink() and not limits.follow_link:
            raise UnreadableSubmission(f"{shown(name)} is a link", "Hand in the file itself.")
        is_folder = place.is_dir()
        exists = is_folder or os.path.lexists(place)
    except (OSError, ValueError) as error:
        raise cannot_open(name, error) from None
    if not exists:
        raise UnreadableSubmission(f"there is no file {shown(str(place), 200)}")
    suffix = place.suffix.lower()
    if not is_folder and suffix not in (*PYTHON_SUFFIXES, ".zip"):
        raise UnreadableSubmission(
            f"{shown(name)} is neither .py, .ipynb, .zip nor a folder",
            "Hand in the file with your code.",
        )
    alone = Candidate(name, lambda limit: read_regular(place, name, limit))
    if suffix in PYTHON_SUFFIXES and not is_folder:
        return alone, ()
    found = candidates_in(place, limits) if is_folder else [alone]
    if len(found) == 1 and found[0].suffix == ".zip":
        name = found[0].base
        found = candidates_in_zip(found[0].read(limits.archive_bytes), name, limits)
    return choose(
        found, name, stub_name, lambda base, data: stub_digest(base, data) in stub_digests, limits
    )


def _cells(
    candidate: Candidate, data: bytes, limits: ReadLimits
) -> tuple[tuple[Cell, ...], tuple[Note, ...], str | None]:
    name = candidate.base
    is_notebook = candidate.suffix == ".ipynb"
    if not data.strip():
        raise UnreadableSubmission(f"{shown(name)} is empty", "Did you save it?")
    text = decode(data, name, python=not is_notebook)
    if not text.strip():
        raise UnreadableSubmission(f"{shown(name)} is empty", "Did you save it?")
    notes: tuple[Note, ...] = ()
    if not is_notebook and looks_like_notebook(text):
        message = f"{shown(name)} is a notebook by its content and was read as one"
        is_notebook, notes = True, (Note("notebook-named-py", message),)
    if is_notebook:
        notebook = read_notebook(text, name)
        if notebook.upgraded_from is not None:
            was = f"{shown(name)} is in notebook format {notebook.upgraded_from}"
            notes += (Note("notebook-upgraded", f"{was} and was upgraded"),)
        cells, met = readable_cells(notebook, name, limits)
        return cells, notes + met, notebook.assignment
    return (Cell(None, text),), _module_notes(text, name), None


def _module_notes(text: str, name: str) -> tuple[Note, ...]:
    try:
        tree = parse(text)
    except NotPython as error:
        where = f"{shown(name)}, line {error.line}" if error.line else shown(name)
        line = blamed(text, error.line)
        what = f"{error.why}: {line}" if line else error.why
        raise UnreadableSubmission(f"{where} is no valid Python ({what})") from None
    waiting = top_level_await(tree, text)
    if waiting is None:
        return ()
    message = f"line {waiting}: await outside a function cannot be run by the grader"
    return (Note("top-level-await", message, waiting),)
