"""What travels to the workers and back, as bounded bytes: they need not share a file system.

The assignment is sent, not looked for on the worker: then there is one copy to keep right, a
worker needs nothing but the installed grader, and the model answer and the hidden checks need not
lie on machines that other people use.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from grader.assignment import Assignment
from grader.classroom.pool import Done
from grader.errors import GraderFailed, UsageError
from grader.submission import Submission

MOST_ASSIGNMENT = 32 << 20
MOST_CHUNK = 64 << 20  # unpacked; one submission is bounded by what reading allows, 20 MiB
MOST_VERDICTS = 512 << 20  # unpacked
_LEVEL = 1  # the fastest: it still takes away four fifths

T = TypeVar("T")


class Parcel(msgspec.Struct, frozen=True):
    """One submission on its way to a worker; it was read, and nothing of it executed."""

    id: str
    submission: Submission
    students: tuple[str, ...]
    patience: float


def pack(things: Sequence[Parcel] | Sequence[Done]) -> bytes:
    """Parcels or verdicts, as they travel."""
    return zlib.compress(msgspec.msgpack.encode(things), _LEVEL)


def unpack_parcels(data: bytes) -> tuple[Parcel, ...]:
    """Raises GraderFailed for bytes that are none."""
    return _unpack(data, tuple[Parcel, ...], MOST_CHUNK)


def unpack_verdicts(data: bytes) -> tuple[Done, ...]:
    """Raises GraderFailed for bytes that are none."""
    return _unpack(data, tuple[Done, ...], MOST_VERDICTS)


def _unpack(data: bytes, kind: type[T], most: int) -> T:
    opener = zlib.decompressobj()
    try:
        plain = opener.decompress(data, most)
        if not opener.eof:
            raise GraderFailed(f"more than {most >> 20} MiB came over the wire, or half a message")
        return msgspec.msgpack.decode(plain, type=kind)
    except (zlib.error, msgspec.DecodeError) as error:
        raise GraderFailed(f"what came over the wire cannot be read: {error}") from None


def pack_assignment(assignment: Assignment) -> bytes:
    """A zip of what judging takes: of the solutions only the model answer and the hidden checks.

    Raises UsageError for an assignment that is too large to be sent.
    """
    packed = io.BytesIO()
    total = 0
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, file in _files(assignment):
            total += file.stat().st_size
            if total > MOST_ASSIGNMENT:
                raise UsageError(
                    f"{assignment.path} holds more than {MOST_ASSIGNMENT >> 20} MiB",
                    "Keep what is no part of the assignment elsewhere.",
                )
            archive.writestr(place, file.read_bytes())
    return packed.getvalue()


def unpack_assignment(data: bytes, folder: Path) -> None:
    """Into `folder`, as `assignments/NAME` and `solutions/NAME`. Raises GraderFailed."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(member.file_size for member in archive.infolist()) > MOST_ASSIGNMENT:
            raise GraderFailed("the assignment that was sent is too large")
        archive.extractall(folder)


def _files(assignment: Assignment) -> Iterator[tuple[str, Path]]:
    """(its place in the zip, the file)."""
    for file in _plain(assignment.path):
        yield f"assignments/{assignment.name}/{file.relative_to(assignment.path)}", file
    solutions = assignment.solutions
    if solutions is None:
        return
    for file in (solutions / "reference.py", *_plain(solutions / "checks")):
        if file.is_file():
            yield f"solutions/{assignment.name}/{file.relative_to(solutions)}", file


def _plain(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        parts = file.relative_to(folder).parts
        if file.is_file() and not any(part[0] == "." or part == "__pycache__" for part in parts):
            yield file
