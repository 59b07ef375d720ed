"""Brightspace's download of a folder of assignments.

`<user>-<folder> - <name> - <Mon D, YYYY HMM AM>` is a folder, or stands before ` - <original>`.
Names may hold hyphens. Each attempt has its own time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from grader.classroom.intake.records import Found, HandIn, Layout, Listed, share
from grader.people import Person

_RULE = re.compile(
    r"(?P<first>\d+)-(?P<second>\d+) - (?P<name>.+?) - "
    r"(?P<month>[A-Z][a-z]{2})[a-z]*\.? (?P<day>\d{1,2}), (?P<year>\d{4}) "
    r"(?P<time>\d{3,4})(?: (?P<half>[AP]M))?(?: - (?P<original>.+))?",
    re.DOTALL,
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def _match(name: str) -> re.Match[str] | None:
    found = _RULE.fullmatch(name)
    return found if found and found["month"] in _MONTHS else None


def _fits(folder: Path, names: Sequence[Path]) -> float:
    return share(names, _match)


def _read(folder: Path, names: Sequence[Path]) -> Found:
    handed: list[HandIn] = []
    left_over: list[Listed] = []
    for path in names:
        found = _match(path.name)
        if path.name.lower() == "index.html":
            left_over.append((path.name, "Brightspace's own table of contents"))
        elif found is None:
            left_over.append((path.name, "not named as Brightspace names a submission"))
        else:
            handed.append(_hand_in(path, found))
    return Found(tuple(handed), tuple(left_over))


def _hand_in(path: Path, found: re.Match[str]) -> HandIn:
    name = found["name"].strip()
    # Two people may have one name: the number before it keeps them apart.
    return HandIn(
        key=f"{found['first']} {name}",
        label=name,
        files=((path, found["original"] or ""),),
        people=(Person("", name),),
        order=_moment(found),
    )


def _moment(found: re.Match[str]) -> tuple[int, ...]:
    hour, minute = int(found["time"][:-2]), int(found["time"][-2:])
    if found["half"]:
        hour = hour % 12 + (12 if found["half"] == "PM" else 0)
    month = _MONTHS.index(found["month"])
    return (int(found["year"]), month, int(found["day"]), hour, minute)


LAYOUT = Layout("brightspace", "a Brightspace download", _fits, _read)
