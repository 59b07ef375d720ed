"""Writing a file so that a reader finds the old one or the new one, and never a half."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from grader.errors import UsageError


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write `data` to `path` under a temporary name beside it, then rename.

    Whatever interrupts it leaves what was at `path` before, and nothing else. Raises UsageError
    where the folder is not there or cannot be written to.
    """
    place = Path(path)
    if place.is_dir():
        raise UsageError(f"{place} is a folder", "Name a file in it.")
    # A link stays a link: what it points to is replaced.
    target = place.resolve() if place.is_symlink() else place
    if target.exists() and not target.is_file():
        # A pipe or a device, such as /dev/stdout, cannot be replaced.
        _write_through(place, data)
        return
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
        temporary = None
    except OSError as error:
        raise _cannot_write(place, target, error) from None
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def _write_through(place: Path, data: bytes) -> None:
    try:
        place.write_bytes(data)
    except OSError as error:
        raise UsageError(f"cannot write {place}: {error.strerror or error}") from None


def _mode(target: Path) -> int:
    """The rights of the file that is replaced; of a new one, what the user's mask leaves."""
    with contextlib.suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _cannot_write(place: Path, target: Path, error: OSError) -> UsageError:
    if not target.parent.is_dir():
        return UsageError(
            f"cannot write {place}: there is no folder {target.parent}", "Make it first."
        )
    return UsageError(f"cannot write {place}: {error.strerror or error}")
