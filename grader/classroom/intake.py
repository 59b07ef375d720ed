"""A folder, or a zip, of submissions: one file or folder each.

What fits no rule is listed, never dropped.
"""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from grader.errors import UsageError
from grader.submission import ReadLimits, is_litter, safe_members, unique_ids

ENDINGS = (".py", ".ipynb", ".zip")


class Entry(msgspec.Struct, frozen=True):
    """One submission to grade: its id, where it lies, who handed it in."""

    id: str
    path: Path
    students: tuple[str, ...] = ()
    late: bool = False


class Intake(msgspec.Struct, frozen=True):
    """What a source holds; `left_over` are names that are no submission, with the reason."""

    entries: tuple[Entry, ...]
    left_over: tuple[tuple[str, str], ...] = ()
    layout: str = "folder"


@contextmanager
def opened(source: Path, limits: ReadLimits | None = None) -> Iterator[Path]:
    """The folder that `source` is; a zip is unpacked for the length of the block, privately.

    Raises UsageError for what is neither, and for a zip that is harmful, encrypted or damaged.
    """
    if source.is_dir():
        yield source
        return
    if not source.exists():
        raise UsageError(f"there is no {source}")
    if source.suffix.lower() != ".zip":
        raise UsageError(
            f"{source} is neither a folder nor a zip", "For one submission there is `grade check`."
        )
    folder = Path(tempfile.mkdtemp(prefix="grader-class-"))
    try:
        _unpack(source, folder, limits or CLASS_LIMITS)
        # A zip of one folder is that folder.
        inner = [path for path in folder.iterdir() if not is_litter(path.name)]
        yield inner[0] if len(inner) == 1 and inner[0].is_dir() else folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


CLASS_LIMITS = ReadLimits(archive_bytes=2 << 30, unpacked_bytes=8 << 30, ratio=500, entries=200_000)


def _unpack(source: Path, folder: Path, limits: ReadLimits) -> None:
    try:
        with zipfile.ZipFile(source) as archive:
            for path, member in safe_members(archive, source.name, limits):
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member) as packed, target.open("wb") as file:
                    shutil.copyfileobj(packed, file, 1 << 20)
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError) as error:
        raise UsageError(f"{source} cannot be unpacked: {error}") from None


def read_folder(folder: Path) -> Intake:
    """Each file that could be one, and each folder, is a submission. Raises UsageError if none."""
    taken: list[Path] = []
    left_over: list[tuple[str, str]] = []
    for path in sorted(folder.iterdir()):
        if is_litter(path.name):
            continue
        if path.is_symlink():
            left_over.append((path.name, "a link"))
        elif path.is_dir() or path.suffix.lower() in ENDINGS:
            taken.append(path)
        else:
            left_over.append((path.name, "neither .py, .ipynb, .zip nor a folder"))
    ids = unique_ids(taken)
    if not taken:
        found = f" ({len(left_over)} other files)" if left_over else ""
        raise UsageError(
            f"{folder} holds no submission{found}", "Give the folder with one file or folder each."
        )
    return Intake(tuple(Entry(ids[path], path) for path in taken), tuple(left_over))
