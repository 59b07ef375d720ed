"""Canvas' "download submissions": flat files.

`<sortable name, word characters alone>[_LATE]_<user id>_<attachment id>_<original>`; anonymous ones
are `[LATE_]anon_<id>_<attachment id>_<original>`. A text entry ends in `_text.html`, an address in
`_link.html`. The file of a second attempt gets `-1` before its ending.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from grader.classroom.intake.records import Found, HandIn, Layout, Listed, share
from grader.people import Person

_NAMED = re.compile(
    r"(?P<name>\w*?)(?P<late>_LATE)?_(?P<user>\d+)_(?P<file>\d+)_(?P<original>.+)", re.DOTALL
)
_ANONYMOUS = re.compile(
    r"(?P<late>LATE_)?anon_(?P<user>[A-Za-z0-9]+)_(?P<file>\d+)_(?P<original>.+)", re.DOTALL
)
_TYPED = re.compile(
    r"(?:\w*?(?:_LATE)?_\d+|(?:LATE_)?anon_[A-Za-z0-9]+)(?:_\d+)?_(?P<kind>text|link)\.html"
)
_AGAIN = re.compile(r"(?P<stem>.+)-(?P<number>\d+)")
_KINDS = {"text": "text typed into Canvas, no file", "link": "an address, no file"}


def _match(name: str) -> re.Match[str] | None:
    return _ANONYMOUS.fullmatch(name) or _NAMED.fullmatch(name)


def _fits(folder: Path, names: Sequence[Path]) -> float:
    files = [path for path in names if not path.is_dir()]
    whole = share(files, lambda name: _TYPED.fullmatch(name) or _match(name))
    return whole * len(files) / len(names) if names else 0.0


def _read(folder: Path, names: Sequence[Path]) -> Found:
    of: dict[str, list[tuple[Path, re.Match[str]]]] = {}
    left_over: list[Listed] = []
    for path in names:
        typed = _TYPED.fullmatch(path.name)
        found = _match(path.name)
        if typed is not None:
            left_over.append((path.name, _KINDS[typed["kind"]]))
        elif found is None or path.is_dir():
            left_over.append((path.name, "not named as Canvas names a submission"))
        else:
            of.setdefault(_key(found), []).append((path, found))
    handed: list[HandIn] = []
    superseded: list[Listed] = []
    for key, files in of.items():
        newest = _newest(files)
        superseded += [(key, path.name) for path, _ in files if path not in newest]
        handed += [_hand_in(key, path, found) for path, found in files if path in newest]
    return Found(tuple(handed), tuple(left_over), tuple(superseded))


def _key(found: re.Match[str]) -> str:
    return ("anon " if found.re is _ANONYMOUS else "") + found["user"]


def _hand_in(key: str, path: Path, found: re.Match[str]) -> HandIn:
    files = ((path, found["original"]),)
    late = bool(found["late"])
    if found.re is _ANONYMOUS:
        label, alias = f"anon_{found['user']}", found["user"]
        return HandIn(key, label, files, (Person(found["user"]),), alias, late)
    label = f"{found['name']}_{found['user']}".lstrip("_")
    return HandIn(key, label, files, (Person(found["user"], found["name"]),), late=late)


def _newest(files: Sequence[tuple[Path, re.Match[str]]]) -> set[Path]:
    """Of `hw1.py`, `hw1-1.py`, `hw1-2.py` the one that was uploaded last; other files all."""
    originals = {found["original"] for _, found in files}
    best: dict[str, tuple[int, Path]] = {}
    for path, found in files:
        original = PurePosixPath(found["original"])
        again = _AGAIN.fullmatch(original.stem)
        name = str(original)
        if again is not None and again["stem"] + original.suffix in originals:
            name = again["stem"] + original.suffix
        uploaded = int(found["file"][:30])
        if name not in best or best[name][0] < uploaded:
            best[name] = (uploaded, path)
    return {path for _, path in best.values()}


LAYOUT = Layout("canvas", "a Canvas download", _fits, _read)
