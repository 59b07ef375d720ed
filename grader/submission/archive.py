"""Zip archives, read in memory: nothing of one is ever written to disk."""

from __future__ import annotations

import contextlib
import io
import re
import stat
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import PurePosixPath

from grader.errors import UnreadableSubmission
from grader.submission.files import Candidate, is_litter, too_large, topmost
from grader.submission.records import ReadLimits, shown, size

_DRIVE = re.compile(r"[A-Za-z]:")
_ENCRYPTED = 0x1 | 0x40
_UTF8_NAME = 0x800
_CENTRAL_ENTRY = b"PK\x01\x02"
# Small members may pack better than the allowed ratio (blank lines do) and can do no harm.
_RATIO_FLOOR = 256 << 10
_AGAIN = "Pack the file with your code again, with an ordinary zip program."


def candidates_in_zip(
    data: bytes, name: str, limits: ReadLimits, *, nested: bool = True
) -> list[Candidate]:
    """The members that could be the work, topmost ones only; a zip in the zip is opened once.

    Raises UnreadableSubmission for an archive that is damaged, encrypted, far larger than it
    looks, or that has a member which would land outside or is a link.
    """
    # Every entry of the directory starts with these four bytes. Counting them first keeps a
    # directory of a million entries from becoming a million objects.
    if data.count(_CENTRAL_ENTRY) > limits.entries * 2:
        raise _too_many(name, limits)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except Exception as error:
        # On damaged bytes zipfile raises whatever its parts raise, beside BadZipFile.
        raise _damaged(name, error) from None
    members = archive.infolist()
    _refuse_harm(members, name, limits)
    found: dict[str, Candidate] = {}
    for member in members:
        path = str(PurePosixPath(_path(member)))
        if member.is_dir() or is_litter(path) or not _is_wanted(path):
            continue
        if path in found:
            raise UnreadableSubmission(
                f"{shown(name)} holds two entries called {shown(path)}", _AGAIN
            )
        found[path] = Candidate(path, partial(_read, archive, member, path))
    top = topmost(found.values())
    if len(top) == 1 and top[0].suffix == ".zip":
        if not nested:
            raise UnreadableSubmission(f"{shown(name)} is a zip in a zip in a zip", _AGAIN)
        inner = top[0].read(limits.archive_bytes)
        return candidates_in_zip(inner, top[0].base, limits, nested=False)
    return top


def safe_members(
    archive: zipfile.ZipFile, name: str, limits: ReadLimits
) -> Iterator[tuple[PurePosixPath, zipfile.ZipInfo]]:
    """The files of an archive with the path of each, litter left out.

    Raises UnreadableSubmission as `candidates_in_zip` does.
    """
    members = archive.infolist()
    _refuse_harm(members, name, limits)
    for member in members:
        path = PurePosixPath(_path(member))
        if not member.is_dir() and not is_litter(str(path)):
            yield path, member


def _refuse_harm(members: list[zipfile.ZipInfo], name: str, limits: ReadLimits) -> None:
    if len(members) > limits.entries:
        raise _too_many(name, limits)
    for member in members:
        path = _path(member)
        if _leads_outside(path) or "\0" in member.orig_filename:
            raise UnreadableSubmission(
                f"{shown(name)} holds {shown(path)}, which would land outside of it", _AGAIN
            )
        if _is_special(member):
            raise UnreadableSubmission(
                f"{shown(name)} holds {shown(path)}, which is a link and no file", _AGAIN
            )
        if member.flag_bits & _ENCRYPTED:
            raise UnreadableSubmission(
                f"{shown(name)} is encrypted", "Pack it again without a password."
            )
        if (
            member.file_size > _RATIO_FLOOR
            and member.file_size > max(member.compress_size, 1) * limits.ratio
        ):
            raise UnreadableSubmission(
                f"{shown(name)} holds {shown(path)}, which unpacks to {size(member.file_size)} "
                f"from {size(member.compress_size)}",
                _AGAIN,
            )
    total = sum(member.file_size for member in members)
    if total > limits.unpacked_bytes:
        raise UnreadableSubmission(
            f"{shown(name)} unpacks to {size(total)}, "
            f"and {size(limits.unpacked_bytes)} are allowed",
            "Pack only the file with your code.",
        )


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: str, limit: int) -> bytes:
    """The member's bytes. What comes out is counted: a header can say anything."""
    if member.file_size > limit:
        raise too_large(path, member.file_size, limit)
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # The other methods let the archive say how much memory unpacking takes.
        raise UnreadableSubmission(f"{shown(path)} is packed by an uncommon method", _AGAIN)
    try:
        with archive.open(member) as file:
            data = file.read(limit + 1)
    except Exception as error:
        raise _damaged(path, error) from None
    if len(data) > limit:
        raise too_large(path, len(data), limit)
    return data


def _path(member: zipfile.ZipInfo) -> str:
    """The member's path, with slashes, as the packing program most likely meant it."""
    name = member.filename
    if not member.flag_bits & _UTF8_NAME:
        # zipfile read it as cp437; some programs write UTF-8 and do not say so.
        with contextlib.suppress(UnicodeError):
            name = name.encode("cp437").decode()
    return name.replace("\\", "/")


def _leads_outside(path: str) -> bool:
    return path.startswith("/") or bool(_DRIVE.match(path)) or ".." in path.split("/")


def _is_special(member: zipfile.ZipInfo) -> bool:
    kind = stat.S_IFMT(member.external_attr >> 16)
    return kind not in (0, stat.S_IFREG, stat.S_IFDIR)


def _is_wanted(path: str) -> bool:
    return path.lower().endswith((".py", ".ipynb", ".zip"))


def _too_many(name: str, limits: ReadLimits) -> UnreadableSubmission:
    return UnreadableSubmission(
        f"{shown(name)} holds more than {limits.entries} files",
        "Pack only the file with your code.",
    )


def _damaged(name: str, error: Exception) -> UnreadableSubmission:
    why = shown(str(error)) or type(error).__name__
    return UnreadableSubmission(f"{shown(name)} is no zip archive or is damaged ({why})", _AGAIN)
