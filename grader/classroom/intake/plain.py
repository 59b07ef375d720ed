"""Any folder: one folder or one file a submission."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grader.classroom.intake.records import ENDINGS, Entry, Intake
from grader.errors import UsageError
from grader.submission import unique_ids


def read(folder: Path, names: Sequence[Path]) -> Intake:
    """Each file that could be one, and each folder, is a submission. Raises UsageError if none."""
    taken: list[Path] = []
    left_over: list[tuple[str, str]] = []
    for path in names:
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
