"""A Google Classroom folder of Drive: `<name> - <file>`, `Copy of <file>`, `<file> (1)`.

Drive has no rule: where a name stands before the file, files of one name are one submission;
others stand for themselves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from grader.classroom.intake.records import ENDINGS, Found, HandIn, Layout, Listed, share
from grader.people import Person

_RULE = re.compile(r"(?:Copy of )*(?P<name>.+?) - (?P<original>.+\.(?:py|ipynb|zip))", re.I)
_COPY = re.compile(r"(?:Copy of )*(?P<stem>.+?)(?: \((?P<number>\d+)\))?", re.I)


def _fits(folder: Path, names: Sequence[Path]) -> float:
    return share(names, _RULE.fullmatch)


def _read(folder: Path, names: Sequence[Path]) -> Found:
    handed: list[HandIn] = []
    left_over: list[Listed] = []
    for path in names:
        found = _RULE.fullmatch(path.name)
        if found is not None and path.is_file():
            name = found["name"].strip()
            original, number = _without_marks(found["original"])
            order = (number,)
            files = ((path, original),)
            handed.append(HandIn(f"of {name}", name, files, (Person("", name),), order=order))
        elif path.is_dir() and not path.is_symlink():
            person = (Person("", path.name),)
            handed.append(HandIn(f"in {path.name}", path.name, ((path, ""),), person))
        elif path.suffix.lower() in ENDINGS:
            original, _ = _without_marks(path.name)
            handed.append(HandIn(f"as {path.name}", path.stem, ((path, original),)))
        else:
            left_over.append((path.name, "neither .py, .ipynb, .zip nor a folder"))
    return _several_files(handed, left_over)


def _several_files(handed: Sequence[HandIn], left_over: Sequence[Listed]) -> Found:
    """Of `hw1.py` and `hw1 (1).py` of one name the later counts; files of other names all."""
    newest: dict[tuple[str, str], HandIn] = {}
    superseded: list[Listed] = []
    for one in handed:
        place = (one.key, one.files[0][1])
        old = newest.get(place)
        if old is not None:
            old, one = sorted((old, one), key=lambda each: each.order)
            superseded.append((old.key, old.files[0][0].name))
        newest[place] = one
    ones = tuple(HandIn(o.key, o.label, o.files, o.people) for o in newest.values())
    return Found(ones, tuple(left_over), tuple(superseded))


def _without_marks(name: str) -> tuple[str, int]:
    """(the name without what Drive adds to a copy, the copy's number)."""
    place = PurePosixPath(name)
    found = _COPY.fullmatch(place.stem)
    if found is None:
        return name, 0
    return found["stem"] + place.suffix, int(found["number"] or 0)


LAYOUT = Layout("google", "a Google Classroom folder", _fits, _read)
