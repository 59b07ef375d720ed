"""Gradescope's export: `assignment_<id>_export/submission_<id>/`, and who in a YAML file.

`submission_metadata.yml` is keyed by folder; its keys are Ruby's symbols. A group has several
submitters, and an address may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from grader.classroom.intake.records import Found, HandIn, Layout, Listed, share
from grader.errors import UsageError
from grader.people import Person

METADATA = "submission_metadata.yml"
_FOLDER = re.compile(r"submission_\d+")
_MOST_BYTES = 64 << 20


def _fits(folder: Path, names: Sequence[Path]) -> float:
    return share(names, lambda name: name == METADATA or _FOLDER.fullmatch(name))


def _read(folder: Path, names: Sequence[Path]) -> Found:
    metadata = _metadata(folder / METADATA)
    handed: list[HandIn] = []
    left_over: list[Listed] = []
    seen = set()
    for path in names:
        if path.name == METADATA:
            continue
        about = metadata.get(path.name)
        if path.is_symlink() or not (_FOLDER.fullmatch(path.name) or about is not None):
            left_over.append((path.name, "not named as Gradescope names a submission"))
            continue
        seen.add(path.name)
        handed.append(HandIn(path.name, path.name, ((path, ""),), _people(about)))
    why = f"named in {METADATA}, but not there"
    missing = [(name, why) for name in metadata if name not in seen]
    return Found(tuple(handed), tuple(left_over + missing))


def _metadata(file: Path) -> Mapping[str, Any]:
    """By folder. Everything is read as text: ids keep their zeros, and no tag makes an object."""
    if file.is_symlink() or not file.is_file():
        return {}
    if file.stat().st_size > _MOST_BYTES:
        raise UsageError(f"{file.name} is too large to be what Gradescope writes")
    try:
        found = yaml.load(file.read_bytes(), Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UsageError(
            f"{file.name} cannot be read: {why}", "Or say --from folder, and do without names."
        ) from None
    return {str(key): value for key, value in found.items()} if isinstance(found, dict) else {}


def _people(about: Any) -> tuple[Person, ...]:
    submitters = _field(about, "submitters")
    if not isinstance(submitters, list):
        return ()
    people = [
        Person(_text(one, "sid"), _text(one, "name"), _text(one, "email")) for one in submitters
    ]
    return tuple(person for person in people if person.shown)


def _field(about: Any, name: str) -> Any:
    if not isinstance(about, dict):
        return None
    return about.get(f":{name}", about.get(name))


def _text(about: Any, name: str) -> str:
    value = _field(about, name)
    return value.strip() if isinstance(value, str) and value not in ("null", "~") else ""


LAYOUT = Layout("gradescope", "a Gradescope export", _fits, _read)
