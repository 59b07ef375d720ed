"""Blackboard's "assignment file download": flat files, and a receipt for each attempt.

`<assignment>_<user name>_attempt_<Y-m-d-H-M-S>_<original>`, the receipt without original as `.txt`.
Both assignment and user name may hold `_`: the receipt says who it was, else what all have in
common is the assignment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from grader.classroom.intake.records import Found, HandIn, Layout, Listed, common_start, share
from grader.people import Person

_RULE = re.compile(
    r"(?P<left>.+)_attempt_(?P<when>\d{4}(?:-\d{1,2}){5})(?:_(?P<original>.+)|(?P<receipt>\.txt))",
    re.DOTALL,
)
_RECEIPT = re.compile(r"^Name:\s*(?P<name>.*?)\s*\((?P<user>[^()\n]+)\)\s*$", re.MULTILINE)
_MOST = 100_000


def _fits(folder: Path, names: Sequence[Path]) -> float:
    return share(names, _RULE.fullmatch)


def _read(folder: Path, names: Sequence[Path]) -> Found:
    left_over: list[Listed] = []
    files: list[tuple[Path, re.Match[str]]] = []
    receipts: dict[str, Person] = {}
    for path in names:
        found = _RULE.fullmatch(path.name)
        if found is None:
            left_over.append((path.name, "not named as Blackboard names a submission"))
        elif found["receipt"]:
            left_over.append((path.name, "Blackboard's receipt"))
            person = _person(path)
            if person is not None and found["left"].endswith("_" + person.id):
                receipts[found["left"]] = person
        else:
            files.append((path, found))
    users = _users({found["left"] for _, found in files} | set(receipts))
    handed = []
    for path, found in files:
        left = found["left"]
        person = receipts.get(left, Person(users[left]))
        order = tuple(int(part) for part in found["when"].split("-"))
        # Group submissions bear the group's name where a user's stands: only a roster knows whose.
        alias = "" if left in receipts else person.id
        handed.append(
            HandIn(left, person.id, ((path, found["original"]),), (person,), alias, order=order)
        )
    return Found(tuple(handed), tuple(left_over))


def _users(lefts: set[str]) -> dict[str, str]:
    """The user name in each `<assignment>_<user name>`."""
    common = common_start(list(lefts)) if len(lefts) > 1 else ""
    cut = common.rfind("_") + 1
    if not cut:
        return {left: left.rpartition("_")[2] or left for left in lefts}
    return {left: left[cut:] or left for left in lefts}


def _person(receipt: Path) -> Person | None:
    if receipt.is_symlink() or not receipt.is_file():
        return None
    with receipt.open("rb") as file:
        text = file.read(_MOST).decode("utf-8-sig", "replace")
    found = _RECEIPT.search(text)
    return Person(found["user"].strip(), found["name"]) if found else None


LAYOUT = Layout("blackboard", "a Blackboard download", _fits, _read)
