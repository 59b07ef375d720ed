"""What intake hands on, and what each layout tells it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from grader.people import Person

ENDINGS = (".py", ".ipynb", ".zip")

Listed = tuple[str, str]  # a name in the download, and what is to be said about it


class Entry(msgspec.Struct, frozen=True):
    """One submission to grade: its id, where it lies, who handed it in.

    `superseded` are names in the download of earlier attempts of theirs, which do not count.
    """

    id: str
    path: Path
    people: tuple[Person, ...] = ()
    late: bool = False
    superseded: tuple[str, ...] = ()

    @property
    def students(self) -> tuple[str, ...]:
        """How lists name those who handed it in."""
        return tuple(person.shown for person in self.people)


class Intake(msgspec.Struct, frozen=True):
    """What a source holds; `left_over` are names that are no submission, with the reason."""

    entries: tuple[Entry, ...]
    left_over: tuple[Listed, ...] = ()
    layout: str = "folder"
    title: str = "a plain folder"


class HandIn(msgspec.Struct, frozen=True):
    """What one name in a download is about.

    Hand-ins with one `key` are one student's or group's: those with the greatest `order` count,
    together; the others are earlier attempts. `files` are (where it lies, the name that the
    student gave it); a whole folder has the name "". `alias` is a name that only a roster can turn
    into a person.
    """

    key: str
    label: str
    files: tuple[tuple[Path, str], ...]
    people: tuple[Person, ...] = ()
    alias: str = ""
    late: bool = False
    order: tuple[int, ...] = ()


class Found(msgspec.Struct, frozen=True):
    """A download as its layout reads it. `superseded` are (key, name in the download)."""

    handed: tuple[HandIn, ...]
    left_over: tuple[Listed, ...] = ()
    superseded: tuple[Listed, ...] = ()


class Layout(msgspec.Struct, frozen=True):
    """One way in which downloads are laid out.

    `fits` says which share (0 to 1) of a folder's visible names follow the rule; `read` reads the
    folder, given the same names.
    """

    name: str
    title: str
    fits: Callable[[Path, Sequence[Path]], float]
    read: Callable[[Path, Sequence[Path]], Found]


def share(names: Sequence[Path], fits: Callable[[str], object]) -> float:
    """Which part of the names satisfies `fits`."""
    return sum(bool(fits(path.name)) for path in names) / len(names) if names else 0.0


def common_start(names: Sequence[str]) -> str:
    """What all names begin with, sign by sign."""
    first, last = min(names), max(names)
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), None)
    return first[:same] if same is not None else min(first, last, key=len)
