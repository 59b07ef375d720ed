"""The catalogue of known mistakes: what each is called, and what is said about it.

A catalogue is a TOML file with one table a mistake; its name is the slug, and its keys are the
fields of `Misconception`. Lines of `explanation` and `evidence` may be wrapped anywhere. The
`example` is a Python program of its own. What it prints stands in it, in the order in which it
is printed, one comment a line of output, at the end of a line or alone:

    print(2 + 2)  # prints: 4

A test runs every example and compares.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

import msgspec

from grader.errors import AssignmentError

GROUPS = (
    "update",
    "graph",
    "types",
    "function",
    "network",
    "initialization",
    "training",
    "by-hand",
    "advice",
)
HINT_LEVELS = 3
LONGEST_WHY = 140
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class Misconception(msgspec.Struct, frozen=True):
    """One known mistake, in words for the student who made it.

    `why` says in one sentence why it matters, for a finding; `explanation` is the whole account.
    `hints` is the ladder: what to look at, which idea, which idiom. `handout` is the section that
    treats it, `example` a program about something else that shows the mistake, `group` one of
    `GROUPS`.
    """

    slug: str
    title: str
    why: str
    explanation: str
    evidence: str
    hints: tuple[str, ...]
    handout: str
    example: str
    group: str


def load_catalogue(path: str | Path) -> dict[str, Misconception]:
    """Read the catalogue at `path`, in the file's order, by slug.

    Raises AssignmentError, with the file and the key, when it cannot be read or is incomplete.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise AssignmentError(path, "", f"cannot be read ({error.strerror or error})") from error
    except UnicodeDecodeError as error:
        raise AssignmentError(path, "", "is not UTF-8 text") from error
    return _parse(text, path)


def general() -> dict[str, Misconception]:
    """The mistakes that any assignment can meet, by slug."""
    source = resources.files("grader.misconceptions").joinpath("general.toml")
    return _parse(source.read_text(encoding="utf-8"), source)


def merged(
    general: Mapping[str, Misconception], own: Mapping[str, Misconception]
) -> dict[str, Misconception]:
    """Both catalogues as one; where both know a slug, the assignment's own words count."""
    return {**general, **own}


def _parse(text: str, path: object) -> dict[str, Misconception]:
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise AssignmentError(path, "", f"is no valid TOML: {error}") from error
    return {slug: _entry(path, slug, table) for slug, table in tables.items()}


def _entry(path: object, slug: str, table: object) -> Misconception:
    if not _SLUG.fullmatch(slug):
        raise AssignmentError(path, slug, "a slug is lower-case words joined by hyphens")
    if not isinstance(table, dict):
        raise AssignmentError(path, slug, "must be a table, one for each mistake")
    known = [name for name in Misconception.__struct_fields__ if name != "slug"]
    for name in table:
        if name not in known:
            raise AssignmentError(path, f"{slug}.{name}", f"unknown key; known: {', '.join(known)}")
    group = _text(path, slug, table, "group")
    if group not in GROUPS:
        raise AssignmentError(path, f"{slug}.group", f"must be one of {', '.join(GROUPS)}")
    return Misconception(
        slug=slug,
        title=_joined(_text(path, slug, table, "title")),
        why=_why(path, slug, table),
        explanation=_joined(_text(path, slug, table, "explanation")),
        evidence=_joined(_text(path, slug, table, "evidence")),
        hints=_hints(path, slug, table),
        handout=_text(path, slug, table, "handout"),
        example=_text(path, slug, table, "example").strip("\n") + "\n",
        group=group,
    )


def _text(path: object, slug: str, table: Mapping[str, object], name: str) -> str:
    if name not in table:
        raise AssignmentError(path, f"{slug}.{name}", "is missing")
    value = table[name]
    if not isinstance(value, str) or not value.strip():
        raise AssignmentError(path, f"{slug}.{name}", "must be a text that is not empty")
    return value


def _why(path: object, slug: str, table: Mapping[str, object]) -> str:
    why = _joined(_text(path, slug, table, "why"))
    if len(why) > LONGEST_WHY:
        raise AssignmentError(path, f"{slug}.why", f"must have at most {LONGEST_WHY} characters")
    return why


def _hints(path: object, slug: str, table: Mapping[str, object]) -> tuple[str, ...]:
    if "hints" not in table:
        raise AssignmentError(path, f"{slug}.hints", "is missing")
    value = table["hints"]
    if not isinstance(value, list) or len(value) != HINT_LEVELS:
        raise AssignmentError(path, f"{slug}.hints", f"must be a list of {HINT_LEVELS} texts")
    for level, hint in enumerate(value, start=1):
        if not isinstance(hint, str) or not hint.strip():
            raise AssignmentError(path, f"{slug}.hints", f"hint {level} must be a text")
    return tuple(_joined(hint) for hint in value)


def _joined(text: str) -> str:
    return " ".join(text.split())
