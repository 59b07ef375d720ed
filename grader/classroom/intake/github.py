"""GitHub Classroom's download: `<slug>-submissions/<slug>-<user name or team>/`.

Who a user name is, the classroom's roster says.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grader.classroom.intake.records import Found, HandIn, Layout, Listed, common_start
from grader.people import Person

_ENDING = "-submissions"


def _slug(folder: Path, names: Sequence[Path]) -> str:
    """What stands before `-<user name>`, or nothing where this is no such download."""
    folders = [path.name for path in names if path.is_dir()]
    if folder.name.endswith(_ENDING):
        slug = folder.name.removesuffix(_ENDING)
        if any(name.startswith(f"{slug}-") for name in folders):
            return slug
    clones = [path.name for path in names if (path / ".git").is_dir()]
    if len(clones) < 2 or len(clones) < len(folders):
        return ""
    common = common_start(clones)
    return common[: common.rfind("-")] if "-" in common else ""


def _fits(folder: Path, names: Sequence[Path]) -> float:
    slug = _slug(folder, names)
    if not slug:
        return 0.0
    return sum(_is_one(path, slug) for path in names) / len(names)


def _is_one(path: Path, slug: str) -> bool:
    return path.is_dir() and not path.is_symlink() and path.name.startswith(f"{slug}-")


def _read(folder: Path, names: Sequence[Path]) -> Found:
    slug = _slug(folder, names)
    handed: list[HandIn] = []
    left_over: list[Listed] = []
    for path in names:
        if not _is_one(path, slug):
            left_over.append((path.name, f"no repository of {slug}"))
            continue
        user = path.name[len(slug) + 1 :]
        handed.append(HandIn(user, user, ((path, ""),), (Person(user),), alias=user))
    return Found(tuple(handed), tuple(left_over))


LAYOUT = Layout("github", "a GitHub Classroom download", _fits, _read)
