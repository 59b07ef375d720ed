"""Finding and reading the one file that counts: in a folder, or among a zip's members."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from functools import reduce
from itertools import islice
from pathlib import Path, PurePosixPath

from msgspec import Struct

from grader.errors import UnreadableSubmission
from grader.submission.records import Note, ReadLimits, shown, size

PYTHON_SUFFIXES = (".py", ".ipynb")
_OURS = frozenset(
    {"library_pieces.py", "misconceptions.py", "pictures.py", "thumbs.db", "desktop.ini"}
)
_IGNORED_FOLDERS = frozenset({"__pycache__", "__macosx", "checks", "site-packages", "node_modules"})
_MOST_COMPARED = 12
# Not every system has every flag.
_OPEN_FLAGS = reduce(
    int.__or__,
    (
        getattr(os, flag, 0)
        for flag in ("O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC", "O_NOCTTY", "O_BINARY")
    ),
    os.O_RDONLY,
)


class Candidate(Struct, frozen=True):
    """A file that could be the work. `read` gives its bytes, and refuses more than it is told."""

    name: str
    read: Callable[[int], bytes]

    @property
    def base(self) -> str:
        """Its name without folders."""
        return PurePosixPath(self.name).name

    @property
    def suffix(self) -> str:
        """`.py`, `.ipynb` or `.zip`, in small letters."""
        return PurePosixPath(self.name).suffix.lower()


def limit_of(suffix: str, limits: ReadLimits) -> int:
    """How many bytes a file of this kind may have."""
    return {".ipynb": limits.notebook_bytes, ".zip": limits.archive_bytes}.get(
        suffix, limits.source_bytes
    )


def is_litter(name: str) -> bool:
    """Whether a posix path is of no interest: hidden, a machine's, or the assignment's own."""
    *folders, base = PurePosixPath(name).parts or ("",)
    return (
        base.startswith(".")
        or base.lower() in _OURS
        or any(folder.startswith(".") or folder.lower() in _IGNORED_FOLDERS for folder in folders)
    )


def read_regular(path: Path, name: str, limit: int, *, inside: Path | None = None) -> bytes:
    """The bytes of a regular file of at most `limit`; its size is looked at before it is read.

    `inside` is a resolved folder that the file must lie in after following links; None where the
    path is to be taken as it is. Never blocks: pipes and devices are refused unopened.
    """
    try:
        real = Path(os.path.realpath(path, strict=True))
        if inside is not None and not real.is_relative_to(inside):
            raise UnreadableSubmission(
                f"{shown(name)} is a link that leads out of its folder",
                "Put the file itself there.",
            )
        _require_regular(os.lstat(real), name)
        descriptor = os.open(real, _OPEN_FLAGS)
        with open(descriptor, "rb", buffering=0) as file:
            status = os.fstat(descriptor)
            _require_regular(status, name)
            if status.st_size > limit:
                raise too_large(name, status.st_size, limit)
            pieces, left = [], limit + 1
            while left > 0 and (piece := file.read(min(left, 1 << 20))):
                pieces.append(piece)
                left -= len(piece)
    except FileNotFoundError:
        raise UnreadableSubmission(f"there is no file {shown(name)}") from None
    except (OSError, ValueError) as error:
        raise cannot_open(name, error) from None
    if left <= 0:
        raise too_large(name, limit + 1, limit)
    return b"".join(pieces)


def candidates_in(folder: Path, limits: ReadLimits) -> list[Candidate]:
    """The files of the topmost level that has any `.py` or `.ipynb`, else any `.zip`.

    Links to folders are not followed. Looking ends at `limits.entries` names.
    """
    root = Path(os.path.realpath(folder))
    level, seen = [PurePosixPath()], 0
    zips: list[Candidate] = []
    for _ in range(limits.folder_depth):
        found: list[Candidate] = []
        deeper: list[PurePosixPath] = []
        for place in level:
            for entry in _entries(root / place, limits.entries):
                seen += 1
                if seen > limits.entries:
                    raise UnreadableSubmission(
                        f"{shown(folder.name)} holds more than {limits.entries} files",
                        "Name the file that you mean.",
                    )
                name = place / entry.name
                if entry.is_dir(follow_symlinks=False):
                    if not is_litter(str(name / "x")) and not _is_environment(root / name):
                        deeper.append(name)
                elif not is_litter(str(name)):
                    candidate = Candidate(str(name), _reader(root, name))
                    if candidate.suffix in PYTHON_SUFFIXES:
                        found.append(candidate)
                    elif candidate.suffix == ".zip":
                        zips.append(candidate)
        if found:
            return found
        level = deeper
    return zips


def topmost(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The candidates that lie in the fewest folders, `.py` and `.ipynb` before `.zip`."""
    everything = list(candidates)
    python = [one for one in everything if one.suffix in PYTHON_SUFFIXES] or everything
    depth = min((one.name.count("/") for one in python), default=0)
    return [one for one in python if one.name.count("/") == depth]


def choose(
    candidates: list[Candidate],
    where: str,
    stub_name: str | None,
    is_stub: Callable[[str, bytes], bool],
    limits: ReadLimits,
) -> tuple[Candidate, tuple[Note, ...]]:
    """The one candidate that is the work, with a note where a choice was made.

    What is still the stub counts only where nothing else does; then the stub's own name decides,
    then `.py` before `.ipynb`. `is_stub(name, data)` knows the stub by its content.
    """
    if not candidates:
        raise UnreadableSubmission(
            f"{shown(where)} holds no .py and no .ipynb file",
            "Put your work into it, or name the file.",
        )
    stub = PurePosixPath(stub_name).stem if stub_name else None
    if len(candidates) == 1:
        return candidates[0], ()
    if any(one.suffix == ".zip" for one in candidates):
        raise _undecided(candidates, where)
    named = _preferred([one for one in candidates if _stem(one.base) == stub])
    if len(candidates) <= _MOST_COMPARED:
        changed = [one for one in candidates if not _still_stub(one, is_stub, limits)]
        if len(changed) == 1:
            return changed[0], _note(changed[0], "the only one that is no longer the stub")
        named = _preferred([one for one in changed if _stem(one.base) == stub]) or named
    if named is None:
        raise _undecided(candidates, where)
    return named, _note(named, "it has the name of the stub")


def too_large(name: str, found: int, limit: int) -> UnreadableSubmission:
    """The refusal of a file that has more than `limit` bytes."""
    hint = "Hand in the source alone."
    if name.lower().endswith(".ipynb"):
        hint = "Clear its outputs and save it again."
    elif name.lower().endswith(".zip"):
        hint = "Pack only the file with your code."
    return UnreadableSubmission(
        f"{shown(name)} is too large: {size(found)}, and {size(limit)} are allowed", hint
    )


def cannot_open(name: str, error: Exception) -> UnreadableSubmission:
    """The refusal of a path that the system would not open."""
    why = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return UnreadableSubmission(f"{shown(name)} cannot be opened: {shown(why.lower())}")


def _reader(root: Path, name: PurePosixPath) -> Callable[[int], bytes]:
    return lambda limit: read_regular(root / name, str(name), limit, inside=root)


def _entries(folder: Path, most: int) -> list[os.DirEntry[str]]:
    """At most one entry more than `most`."""
    try:
        with os.scandir(folder) as entries:
            return sorted(islice(entries, most + 1), key=lambda entry: entry.name)
    except OSError as error:
        raise cannot_open(folder.name, error) from None


def _is_environment(folder: Path) -> bool:
    return (folder / "pyvenv.cfg").exists()


def _require_regular(status: os.stat_result, name: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableSubmission(f"{shown(name)} is no ordinary file")


def _stem(base: str) -> str:
    return PurePosixPath(base).stem


def _preferred(candidates: list[Candidate]) -> Candidate | None:
    return min(candidates, key=lambda one: (one.suffix != ".py", one.name), default=None)


def _still_stub(
    candidate: Candidate, is_stub: Callable[[str, bytes], bool], limits: ReadLimits
) -> bool:
    try:
        return is_stub(candidate.base, candidate.read(limit_of(candidate.suffix, limits)))
    except UnreadableSubmission:
        return False


def _note(candidate: Candidate, why: str) -> tuple[Note, ...]:
    return (Note("file-chosen", f"{shown(candidate.name)} was read: {why}"),)


def _undecided(candidates: list[Candidate], where: str) -> UnreadableSubmission:
    names = [shown(one.name) for one in sorted(candidates, key=lambda one: one.name)]
    few = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    if len(names) <= 5:
        few = ", ".join(names[:-1]) + f" and {names[-1]}"
    return UnreadableSubmission(
        f"{shown(where)} holds {len(names)} files that could be the work: {few}",
        "Name the one that you mean.",
    )
