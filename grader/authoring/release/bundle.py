"""A zip that is the same, byte for byte, whenever its content is the same."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from grader.errors import UsageError

_LITTER: Final = ("__pycache__", ".ipynb_checkpoints", ".DS_Store", ".pytest_cache")
_FIRST_DAY: Final = (1980, 1, 1, 0, 0, 0)  # of zip's calendar


class Bundle:
    """Files by their names in the zip, with `/` between folders; some may be run."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[bytes, bool]] = {}

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        """Names and contents, in the zip's order."""
        return ((name, self._files[name][0]) for name in sorted(self._files))

    def add(self, name: str, content: bytes | str, *, executable: bool = False) -> None:
        """Add one file; text is written as UTF-8. A leading slash (no folder) goes away."""
        name = name.removeprefix("/")
        data = content.encode() if isinstance(content, str) else content
        self._files[name] = (data, executable)

    def add_file(self, name: str, place: Path) -> None:
        """Add a file from the disk. Raises UsageError where it cannot be read."""
        try:
            self.add(name, place.read_bytes())
        except OSError as error:
            raise UsageError(f"cannot read {place}: {error.strerror or error}") from None

    def add_tree(self, name: str, folder: Path, *, without: tuple[str, ...] = ()) -> None:
        """Add what lies in a folder, but for litter and the paths in `without`, below it."""
        for place in sorted(folder.rglob("*")):
            inside = place.relative_to(folder)
            left_out = any(inside.is_relative_to(path) for path in without)
            if left_out or any(part in _LITTER for part in inside.parts):
                continue
            if place.is_file() and place.suffix != ".pyc":
                self.add_file(f"{name}/{inside.as_posix()}", place)

    def zipped(self) -> bytes:
        """The zip."""
        memory = io.BytesIO()
        with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(self._files):
                data, executable = self._files[name]
                entry = zipfile.ZipInfo(name, _FIRST_DAY)
                entry.create_system = 3  # Unix: only then do the rights count
                entry.external_attr = (0o100755 if executable else 0o100644) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, data)
        return memory.getvalue()
