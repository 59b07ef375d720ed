"""Waiting for the next save of a submission.

A message of the system that something happened in the folder only wakes us up. What decides is
how the files look: which file it is, its time, its size, what is in it. So an editor may write,
rename or delete and write anew, and where no such messages come a save is noticed a second later.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from watchfiles import watch

from grader.errors import UnreadableSubmission
from grader.submission.files import candidates_in
from grader.submission.records import DEFAULT_LIMITS

STEP_MS: Final = 10  # without a message for this long, a save is over
DEBOUNCE_MS: Final = 60  # a folder in which something happens all the time
TICK_SECONDS: Final = 1.0  # how often to look where no message came
# Between taking an old file away and putting the new one there, an editor needs some time.
PATIENCE_SECONDS: Final = 0.3

MOST_READ: Final = 12  # files of a folder
MOST_BYTES: Final = 2 << 20


class Look(NamedTuple):
    """How a file looks. `sum` is of its content: two saves may bear the same time."""

    inode: int
    time: int
    size: int
    sum: int


Looks = dict[Path, Look | None]


class Saves:
    """What lies at `path`, a file or a folder, as it was when it was last looked at."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: Looks = {}

    @property
    def present(self) -> bool:
        """Whether there was anything."""
        return any(look is not None for look in self._seen.values())

    def look(self) -> None:
        """Take what lies there now as seen; what is read after this call is at least as new."""
        self._seen = self._now()

    def wait(self) -> Iterator[bool]:
        """Wait for a save: True once there is one, False now and then while there is none."""
        while True:
            folders = self._folders()
            if not folders:
                time.sleep(PATIENCE_SECONDS)
                yield self._saved()
                continue
            marks = _marks(folders)
            for _ in _messages(folders):
                yield self._saved()
                if _marks(self._folders()) != marks:
                    break  # another folder by now, or the same name given to a new one

    def _saved(self) -> bool:
        now = self._now()
        if now == self._seen:
            return False
        end = time.monotonic() + PATIENCE_SECONDS
        while _halfway(self._seen, now) and time.monotonic() < end:
            time.sleep(STEP_MS / 1000)
            now = self._now()
        return now != self._seen

    def _now(self) -> Looks:
        files = self._files()
        return {file: _look_at(file, len(files) <= MOST_READ) for file in files}

    def _files(self) -> list[Path]:
        if not self._path.is_dir():
            return [self._path]
        try:
            found = candidates_in(self._path, DEFAULT_LIMITS)
        except UnreadableSubmission:
            return []
        return [self._path / candidate.name for candidate in found]

    def _folders(self) -> list[Path]:
        """Folders, not files: a file that is written by renaming is another one afterwards."""
        places = [file.parent for file in self._files()]
        places += [self._path if self._path.is_dir() else self._path.parent]
        # Where a link leads to is where it is written.
        places += [Path(os.path.realpath(file)).parent for file in self._files()]
        return sorted({place for place in places if place.is_dir()})


def _messages(folders: list[Path]) -> Iterator[None]:
    """Now, whenever something happens in one of the folders, and now and then."""
    try:
        messages = watch(
            *folders,
            watch_filter=None,
            step=STEP_MS,
            debounce=DEBOUNCE_MS,
            rust_timeout=int(TICK_SECONDS * 1000),
            yield_on_timeout=True,
            recursive=False,
            ignore_permission_denied=True,
        )
        with contextlib.closing(messages):
            # What happened before the system was asked to tell, nobody tells.
            yield
            for _ in messages:
                yield
    except (OSError, RuntimeError):
        # The folder is gone again, or the system has no more of these to give: look ourselves.
        while True:
            time.sleep(PATIENCE_SECONDS)
            yield


def _look_at(file: Path, read: bool) -> Look | None:
    try:
        found = os.stat(file)
        read = read and stat.S_ISREG(found.st_mode) and found.st_size <= MOST_BYTES
        content = zlib.crc32(file.read_bytes()) if read else 0
    except OSError:
        return None
    return Look(found.st_ino, found.st_mtime_ns, found.st_size, content)


def _halfway(before: Looks, now: Looks) -> bool:
    """Whether a file that had something in it is gone or empty: most likely not for long."""
    return any(
        look is not None and look.size > 0 and not _holds(now.get(file))
        for file, look in before.items()
    )


def _holds(look: Look | None) -> bool:
    return look is not None and look.size > 0


def _marks(folders: list[Path]) -> list[tuple[Path, int, int]]:
    marks = []
    for folder in folders:
        with contextlib.suppress(OSError):
            found = os.stat(folder)
            marks.append((folder, found.st_dev, found.st_ino))
    return marks
