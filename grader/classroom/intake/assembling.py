"""From hand-ins to submissions: one a student or group, the newest attempt counts."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from msgspec import structs

from grader.classroom.intake.records import Entry, Found, HandIn, Listed
from grader.classroom.intake.unpacking import copy_file, fitting, free
from grader.people import Person, Roster
from grader.submission import unique_ids


def assemble(found: Found, work: Path, roster: Roster) -> tuple[list[Entry], list[Listed]]:
    """(entries by id, names that are no submission). Loose files are gathered below `work`."""
    groups: dict[str, list[HandIn]] = {}
    for one in found.handed:
        groups.setdefault(one.key, []).append(one)
    ids = _ids({key: ones[0].label for key, ones in groups.items()})
    left_over = list(found.left_over)
    entries: list[Entry] = []
    for key, ones in groups.items():
        newest = max(one.order for one in ones)
        counted = [one for one in ones if one.order == newest]
        earlier = [_top(one) for one in ones if one.order != newest]
        earlier += [name for whose, name in found.superseded if whose == key]
        files = [file for one in counted for file in one.files]
        path, skipped = _gathered(files, work / hashlib.sha256(ids[key].encode()).hexdigest()[:16])
        left_over += [(name, f"of {ids[key]}: a link") for name in skipped]
        people, late = _who(counted[0], roster)
        entries.append(
            Entry(
                ids[key],
                path,
                people,
                late or any(one.late for one in counted),
                tuple(dict.fromkeys(earlier)),
            )
        )
    return sorted(entries, key=lambda entry: entry.id), left_over


def _ids(labels: dict[str, str]) -> dict[str, str]:
    """An id for every key, from its label; the same for the same class in any order."""
    places = {}
    for key, label in labels.items():
        # Labels are no file names: one that ends in .py keeps it.
        clean = label.replace("/", "_").replace("\0", "_")
        clean = clean if clean.strip(". ") else "submission"
        folder = hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()
        places[key] = Path("/", folder, clean)
    found = unique_ids(places.values())
    return {key: found[place] for key, place in places.items()}


def _gathered(files: Sequence[tuple[Path, str]], folder: Path) -> tuple[Path, list[str]]:
    """(one path that holds the files, names of those that are links and were left out)."""
    real = [(path, name) for path, name in files if not path.is_symlink()]
    skipped = [path.name for path, _ in files if path.is_symlink()]
    if len(real) == 1 and real[0][0].is_dir():
        return real[0][0], skipped
    folder.mkdir()
    for path, name in real:
        if path.is_dir():
            for inner in sorted(path.rglob("*")):
                if inner.is_symlink():
                    skipped.append(inner.name)
                elif inner.is_file():
                    copy_file(inner, free(folder / inner.relative_to(path)))
        elif path.is_file():
            copy_file(path, free(folder / fitting(Path(name).name or path.name)))
        else:
            skipped.append(path.name)
    return folder, skipped


def _who(one: HandIn, roster: Roster) -> tuple[tuple[Person, ...], bool]:
    """(the people, whether the roster calls one of them late)."""
    name = one.alias or (one.people[0].name if len(one.people) == 1 else "")
    group = roster.group(name)
    if group:
        return tuple(member.person for member in group), any(m.late for m in group)
    if one.alias:
        member = roster.find(one.alias)
        if member is not None:
            return (member.person,), member.late
    found, late = [], False
    for person in one.people:
        member = roster.find(person.id, person.email, person.name)
        if member is not None:
            late = late or member.late
            person = structs.replace(
                person,
                id=person.id or member.person.id,
                name=member.person.name or person.name,
                email=person.email or member.person.email,
            )
        found.append(person)
    return tuple(found), late


def _top(one: HandIn) -> str:
    return one.files[0][0].name if one.files else one.label
