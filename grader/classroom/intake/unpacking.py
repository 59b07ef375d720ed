"""A class's zip, unpacked to a private folder that is removed afterwards."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from grader.errors import UnreadableSubmission, UsageError
from grader.submission import ReadLimits, is_litter, safe_members

CLASS_LIMITS = ReadLimits(archive_bytes=2 << 30, unpacked_bytes=8 << 30, ratio=500, entries=200_000)
_LONGEST_NAME = 200  # bytes; names are made longer still by the name of who handed it in


@contextmanager
def unpacked(source: Path, limits: ReadLimits | None = None) -> Iterator[tuple[Path, Path]]:
    """(the folder that `source` is, an empty private folder), for the length of the block.

    A zip is unpacked. Raises UsageError for what is neither, and for a zip that is harmful,
    encrypted or damaged.
    """
    if not source.is_dir():
        if not source.exists():
            raise UsageError(f"there is no {source}")
        if source.suffix.lower() != ".zip":
            raise UsageError(
                f"{source} is neither a folder nor a zip",
                "For one submission there is `grade check`.",
            )
    private = Path(tempfile.mkdtemp(prefix="grader-class-"))
    try:
        work = private / "work"
        work.mkdir()
        if source.is_dir():
            yield source, work
        else:
            folder = private / (source.stem if _is_plain(source.stem) else "class")
            folder.mkdir()
            _unpack(source, folder, limits or CLASS_LIMITS)
            yield folder, work
    finally:
        shutil.rmtree(private, ignore_errors=True)


def visible(folder: Path) -> list[Path]:
    """What lies in a folder, sorted, without what systems leave there."""
    try:
        return sorted(path for path in folder.iterdir() if not is_litter(path.name))
    except OSError as error:
        raise UsageError(f"{folder} cannot be read: {error.strerror}") from None


def only_folder(folder: Path) -> Path | None:
    """The one folder in it, where there is nothing else."""
    inner = visible(folder)
    alone = len(inner) == 1 and inner[0].is_dir() and not inner[0].is_symlink()
    return inner[0] if alone else None


def copy_file(source: Path, target: Path) -> None:
    """As a second name of the same bytes where the system can do that. Raises OSError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        target.hardlink_to(source)
    except OSError:
        shutil.copyfile(source, target, follow_symlinks=False)


def fitting(name: str) -> str:
    """A file's name that a file system takes; its ending stays."""
    raw = name.encode(errors="surrogatepass")
    if len(raw) <= _LONGEST_NAME:
        return name
    suffix = PurePosixPath(name).suffix[:10]
    mark = f"-{hashlib.sha256(raw).hexdigest()[:8]}{suffix}"
    return raw[: _LONGEST_NAME - len(mark.encode())].decode(errors="ignore") + mark


def free(target: Path) -> Path:
    """`target`, or a like name in its folder that nothing has yet."""
    number, place = 2, target
    while place.exists() or place.is_symlink():
        place = target.with_name(f"{target.stem} ({number}){target.suffix}")
        number += 1
    return place


def _unpack(source: Path, folder: Path, limits: ReadLimits) -> None:
    try:
        with zipfile.ZipFile(source) as archive:
            for path, member in safe_members(archive, source.name, limits):
                target = free(folder.joinpath(*map(fitting, path.parts)))
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member) as packed, target.open("wb") as file:
                    shutil.copyfileobj(packed, file, 1 << 20)
    except UnreadableSubmission as error:
        raise UsageError(error.message, error.hint) from None
    except (zipfile.BadZipFile, OSError, RuntimeError, ValueError, EOFError) as error:
        raise UsageError(f"{source} cannot be unpacked: {error}") from None
    except Exception as error:
        # zlib and the other packers raise types of their own on damaged bytes.
        with contextlib.suppress(OSError):
            shutil.rmtree(folder)
        raise UsageError(f"{source} is damaged: {type(error).__name__}") from None


def _is_plain(stem: str) -> bool:
    return 0 < len(stem.encode()) <= _LONGEST_NAME and stem not in (".", "..", "work")
