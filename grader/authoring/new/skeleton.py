"""Write the files of a new assignment from the templates beside this module."""

from __future__ import annotations

import contextlib
import importlib.resources
import re
import shutil
import zlib
from collections.abc import Iterator
from importlib.resources.abc import Traversable
from pathlib import Path

from msgspec import Struct

from grader.authoring.notebook import write_notebook
from grader.errors import UsageError

ENDING = ".template"
STUB = "stub.py"


class Skeleton(Struct, frozen=True):
    """Where a new assignment lies: what students may see, and what is staff's."""

    public: Path
    staff: Path


def write_skeleton(name: str, title: str, root: Path) -> Skeleton:
    """Make `root`/assignments/`name` and `root`/solutions/`name`, both or neither.

    Nothing that exists is touched. Raises UsageError where one is there already or cannot be
    written.
    """
    made = Skeleton(root / "assignments" / name, root / "solutions" / name)
    values = {"NAME": name, "TITLE": title, "SEED": str(zlib.crc32(name.encode()) % 100_000)}
    templates = importlib.resources.files("grader.authoring.new") / "templates"
    with contextlib.ExitStack() as undo:
        for kind, folder in (("public", made.public), ("staff", made.staff)):
            _claim(folder)
            undo.callback(shutil.rmtree, folder, ignore_errors=True)
            try:
                for inside, text in _filled(templates / kind, values):
                    target = folder / (f"{name}.py" if inside == Path(STUB) else inside)
                    target.parent.mkdir(exist_ok=True)
                    target.write_text(text, encoding="utf-8", newline="\n")
            except OSError as error:
                raise UsageError(f"{folder} cannot be written: {error.strerror}") from None
        write_notebook(made.public / f"{name}.py")
        undo.pop_all()
    return made


def _claim(folder: Path) -> None:
    """Make `folder`, which must not be there."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir()
    except FileExistsError as error:
        there = error.filename or folder
        raise UsageError(
            f"{there} is there already", "Choose another name; nothing was changed."
        ) from None
    except OSError as error:
        raise UsageError(f"{folder} cannot be made: {error.strerror}") from None


def _filled(
    folder: Traversable, values: dict[str, str], inside: Path = Path()
) -> Iterator[tuple[Path, str]]:
    """The templates of a folder as (path in it, text), each `@{KEY}` replaced."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _filled(entry, values, inside / entry.name)
        elif entry.name.endswith(ENDING):
            text = entry.read_text(encoding="utf-8")
            text = re.sub(r"@\{([A-Z]+)\}", lambda found: values[found[1]], text)
            yield inside / entry.name.removesuffix(ENDING), text
