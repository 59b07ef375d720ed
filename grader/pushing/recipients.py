"""Whose grade goes to whom: by an id, never by a name, and never by a guess."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from grader.errors import UsageError
from grader.people import Person, folded
from grader.report.exporters.records import Mark

By = Literal["id", "email", "submission"]
Find = Callable[[str], tuple[str, ...]]  # ours -> all of the platform's users that it may be
_MOST_BYTES = 16 << 20


class Claim(msgspec.Struct, frozen=True):
    """A mark and the one user of the platform whom it is for. `shown` is how lists name them."""

    user: str
    mark: Mark
    shown: str


class Unmatched(msgspec.Struct, frozen=True):
    """Submissions whose user is not known for certain, and the line that says so."""

    ids: tuple[str, ...]
    line: str


class Addressed(msgspec.Struct, frozen=True):
    """Everybody who was found for certain, and everybody else."""

    claims: tuple[Claim, ...]
    unmatched: tuple[Unmatched, ...]


def addressed(marks: Iterable[Mark], by: By, find: Find) -> Addressed:
    """Each person of each mark to the one user that they are.

    A user whom two submissions claim gets neither.
    """
    found: dict[str, list[Claim]] = {}
    unmatched: list[Unmatched] = []
    for mark in marks:
        for person in mark.people or (Person(),):
            shown = person.shown or mark.id
            name = mark.id if shown == mark.id else f"{mark.id} ({shown})"
            key = _key(mark, person, by)
            if not key:
                unmatched.append(Unmatched((mark.id,), f"{name}: no {by} is known"))
                continue
            users = find(key)
            if len(users) == 1:
                claims = found.setdefault(users[0], [])
                if all(one.mark.id != mark.id for one in claims):
                    claims.append(Claim(users[0], mark, name))
            else:
                many = f"{len(users)} users have" if users else "nobody has"
                unmatched.append(Unmatched((mark.id,), f"{name}: {many} the {by} {key}"))
    for user, claims in found.items():
        if len(claims) > 1:
            ids = tuple(one.mark.id for one in claims)
            line = f"{' and '.join(ids)}: all claim user {user}, so none is sent"
            unmatched.append(Unmatched(ids, line))
    certain = tuple(claims[0] for claims in found.values() if len(claims) == 1)
    return Addressed(certain, tuple(unmatched))


def _key(mark: Mark, person: Person, by: By) -> str:
    return {"id": person.id, "email": person.email, "submission": mark.id}[by].strip()


def as_it_is(key: str) -> tuple[str, ...]:
    """Where the platform goes by what we know already."""
    return (key,)


def table(pairs: Iterable[tuple[str, str]]) -> Find:
    """From (key, user) pairs. Capitals and blanks make no difference in a key."""
    users: dict[str, dict[str, None]] = {}
    for key, user in pairs:
        if folded(key) and user:
            users.setdefault(folded(key), {})[user] = None
    return lambda key: tuple(users.get(folded(key), ()))


def chained(first: Find, second: Find) -> Find:
    """What `second` finds for everything that `first` finds."""
    return lambda key: tuple(dict.fromkeys(user for one in first(key) for user in second(one)))


def roster_table(path: Path, by: str, user: str) -> Find:
    """From a CSV with a header: its column `by` holds our key, `user` the platform's.

    Raises UsageError for what cannot be read or has no such columns.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError(f"{path} is too large for a roster")
        text = path.read_bytes().decode("utf-8-sig")
        rows = list(csv.reader(io.StringIO(text, newline="")))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8", "Save it as CSV in UTF-8.") from None
    except csv.Error as error:
        raise UsageError(f"{path} is no CSV: {error}") from None
    header = [cell.strip() for cell in rows[0]] if rows else []
    places = [_place(path, header, name) for name in (by, user)]
    full = [row for row in rows[1:] if len(row) > max(places)]
    return table((row[places[0]].strip(), row[places[1]].strip()) for row in full)


def _place(path: Path, header: Sequence[str], name: str) -> int:
    places = [i for i, cell in enumerate(header) if folded(cell) == folded(name)]
    if len(places) == 1:
        return places[0]
    if places:
        raise UsageError(f"{path} has {len(places)} columns called {name}")
    raise UsageError(f"{path} has no column {name}", f"It has {', '.join(header) or 'none'}.")
