"""Moodle's "download all submissions": folders or flat files, with names or blind.

`Full Name_<id>_assignsubmission_file/...`, with a `_` more in older ones, or `..._file_<original>`.
The id is the one of the worksheet's "Participant <id>". In a team every member has a copy.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from grader.classroom.intake.records import Found, HandIn, Layout, Listed, share
from grader.people import Person

_RULE = re.compile(
    r"(?P<name>.*?)_(?P<id>\d+)_assign(?P<what>submission_[a-z]+|feedback_[a-z]+)"
    r"(?:_(?P<original>.*))?",
    re.DOTALL,
)


def _fits(folder: Path, names: Sequence[Path]) -> float:
    return share(names, _RULE.fullmatch)


def _read(folder: Path, names: Sequence[Path]) -> Found:
    blind = _all_alike(names)
    handed: list[HandIn] = []
    left_over: list[Listed] = []
    for path in names:
        found = _RULE.fullmatch(path.name)
        if found is None:
            left_over.append((path.name, "not named as Moodle names a submission"))
        elif found["what"] == "submission_onlinetext":
            left_over.append((path.name, "text typed into Moodle, no file"))
        elif found["what"] != "submission_file":
            left_over.append((path.name, "no file that a student handed in"))
        else:
            name = "" if blind else found["name"].strip()
            handed.append(
                HandIn(
                    key=found["id"],
                    label=f"{found['name'].strip()}_{found['id']}",
                    files=((path, found["original"] or ""),),
                    people=(Person(found["id"], name),),
                )
            )
    return Found(tuple(handed), tuple(left_over))


def _all_alike(names: Sequence[Path]) -> bool:
    """In blind marking everybody is called "Participant", in the site's language."""
    matches = [match for path in names if (match := _RULE.fullmatch(path.name))]
    found = {match["name"] for match in matches}
    if len(found) != 1:
        return False
    (name,) = found
    several = len({match["id"] for match in matches}) > 2
    return name == "Participant" or (several and not re.search(r"\s", name))


LAYOUT = Layout("moodle", "a Moodle download", _fits, _read)
