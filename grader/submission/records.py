"""What a submission is, once it was read: plain frozen records, no behaviour beyond look-ups."""

from __future__ import annotations

import re

from msgspec import Struct

_CELL_FILENAME = re.compile(r"#cell-([0-9]{1,9})\Z")
_UNPRINTABLE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


class ReadLimits(Struct, frozen=True):
    """How much is read at most. Sizes in bytes; `ratio` is unpacked over packed size."""

    source_bytes: int = 1 << 20
    notebook_bytes: int = 20 << 20
    archive_bytes: int = 64 << 20
    unpacked_bytes: int = 64 << 20
    ratio: int = 200
    entries: int = 2000
    cells: int = 2000
    folder_depth: int = 5
    follow_link: bool = True
    """Whether the path itself may be a symbolic link. A batch of strangers' work says no."""


DEFAULT_LIMITS = ReadLimits()


class SubmittedFile(Struct, frozen=True):
    """A file that was read: its name inside the folder or zip, and the digest of its bytes."""

    name: str
    sha256: str


class Cell(Struct, frozen=True):
    """Python source that parses.

    `number` counts the code cells of a notebook from 1, dropped ones included; None in a `.py`.
    `first_line` is the line at which `source` begins in its file or cell: compile with line
    numbers moved by `first_line - 1`.
    """

    number: int | None
    source: str
    first_line: int = 1


class Note(Struct, frozen=True):
    """Something that was met on reading and did no harm to the rest.

    Kinds: `cell-left-out`, `cell-magic`, `magic-assignment`, `top-level-await`,
    `notebook-named-py`, `notebook-upgraded`, `file-chosen`.
    """

    kind: str
    message: str
    line: int | None = None
    cell: int | None = None


class Submission(Struct, frozen=True):
    """What was handed in, as source that parses. Nothing of it has been executed."""

    id: str
    files: tuple[SubmittedFile, ...]
    name: str
    cells: tuple[Cell, ...]
    notes: tuple[Note, ...] = ()
    assignment: str | None = None

    @property
    def source(self) -> str:
        """All cells joined, one after the other; `locate` leads a line back to its cell."""
        return "\n".join(cell.source for cell in self.cells)

    @property
    def is_notebook(self) -> bool:
        """Whether the source came in cells."""
        return any(cell.number is not None for cell in self.cells)

    def filename(self, cell: Cell) -> str:
        """The file name under which this cell compiles; `display_place` reads it back."""
        return self.name if cell.number is None else f"{self.name}#cell-{cell.number}"


def locate(submission: Submission, line: int) -> tuple[int | None, int]:
    """Cell number (None in a `.py`) and line in it, for a 1-based line of `submission.source`."""
    rest = line
    for cell in submission.cells:
        length = cell.source.count("\n") + 1
        if rest <= length:
            return cell.number, rest + cell.first_line - 1
        rest -= length
    last = submission.cells[-1]
    return last.number, last.source.count("\n") + last.first_line


def display_place(filename: str, line: int) -> tuple[int | None, int]:
    """Cell number (None in a `.py`) and line in it, for a compiled file name and its line."""
    found = _CELL_FILENAME.search(filename)
    return (int(found[1]) if found else None), line


def shown(text: str, limit: int = 80) -> str:
    """`text` fit for a one-line message: no control or direction signs, `limit` characters."""
    text = text if len(text) <= limit else text[: limit - 3] + "..."
    return _UNPRINTABLE.sub(lambda sign: f"\\x{ord(sign[0]):02x}", text)


def size(count: int) -> str:
    """`count` bytes, as a person says it."""
    for unit, step in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= step:
            return f"{count / step:.0f} {unit}"
    return f"{count} bytes"
