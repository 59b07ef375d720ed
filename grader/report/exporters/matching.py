"""Whose row is whose. A guess is worse than a line in a list, so there are none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from grader.people import Person, Roster, folded
from grader.report.exporters.records import Mark, Request
from grader.report.exporters.sheet import bare


class Row(msgspec.Struct, frozen=True):
    """What a row of a sheet says of its student; `ids` in the order in which they are tried."""

    place: int
    ids: tuple[str, ...] = ()
    email: str = ""
    names: tuple[str, ...] = ()


class Matched(msgspec.Struct, frozen=True):
    """The marks by their row's place, and one line about everybody else."""

    marks: dict[int, Mark]
    unmatched: tuple[str, ...]


def match(request: Request, rows: Sequence[Row], what: str) -> Matched:
    """Each person of each mark to the one row that is theirs.

    By ids, column after column, then address, then full name, each only where it points to one
    row. A row that two submissions claim goes to neither.
    """
    width = max((len(row.ids) for row in rows), default=0)
    tables = [_table((row.place, (row.ids[i],)) for row in rows if i < len(row.ids))
              for i in range(width)]  # fmt: skip
    tables.append(_table((row.place, (row.email,)) for row in rows))
    tables.append(_table((row.place, row.names) for row in rows))
    claims: dict[int, list[Mark]] = {}
    unmatched: list[str] = []
    for mark in request.marks:
        for person in people_of(mark):
            found = _places(person, request.roster, tables)
            name = mark.id if person.shown == mark.id else f"{mark.id} ({person.shown})"
            if len(found) == 1:
                claims.setdefault(min(found), []).append(mark)
            elif found:
                unmatched.append(f"{name}: {len(found)} rows of the {what} fit")
            else:
                unmatched.append(f"{name}: nobody in the {what}")
    marks = {}
    for place, claiming in claims.items():
        if len({mark.id for mark in claiming}) == 1:
            marks[place] = claiming[0]
        else:
            ids = " and ".join(sorted({mark.id for mark in claiming}))
            unmatched.append(f"{ids}: claim one row of the {what}")
    return Matched(marks, tuple(unmatched))


def people_of(mark: Mark) -> tuple[Person, ...]:
    """Those who handed it in; where nobody said who, the submission's id stands for one."""
    return mark.people or (Person(mark.id, mark.id),)


def full_names(first: str, last: str) -> tuple[str, ...]:
    """Both orders of a name in two columns."""
    return (f"{first} {last}".strip(), f"{last}, {first}".strip(", "), f"{last} {first}".strip())


def turned(name: str) -> tuple[str, ...]:
    """A name as it is, and turned round at each comma: the last name may hold one itself."""
    commas = [place for place, sign in enumerate(name) if sign == ","]
    both = [f"{name[place + 1 :].strip()} {name[:place].strip()}" for place in commas]
    return (name, *both)


def _places(person: Person, roster: Roster, tables: Sequence[dict[str, set[int]]]) -> set[int]:
    keys = [key for key in (person.id, person.email, person.name) if key]
    member = roster.find(*keys)
    if member is not None:
        keys += [member.person.id, member.person.email, member.person.name, *sorted(member.keys)]
    several: set[int] = set()
    for table in tables:
        found = {place for key in keys for place in table.get(folded(bare(key)), ())}
        if len(found) == 1:
            return found
        several = several or found
    return several


def _table(rows: Iterable[tuple[int, Sequence[str]]]) -> dict[str, set[int]]:
    table: dict[str, set[int]] = {}
    for place, keys in rows:
        for key in keys:
            key = folded(bare(key))
            if key:
                table.setdefault(key, set()).add(place)
    return table
