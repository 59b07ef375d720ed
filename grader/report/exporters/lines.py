"""The checks of one submission as its student may see them: the one source of what LMSs show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec

from grader.misconceptions.catalogue import Misconception
from grader.report.exporters.numbers import written
from grader.report.exporters.records import Mark
from grader.report.screen import clean
from grader.report.student_view import student_document

HINTS = 1  # how many of a ladder stand beside a finding, as on the terminal
_LONGEST = 4000


class Line(msgspec.Struct, frozen=True):
    """One check. `name` is unique in its submission; `text` says what went wrong, if anything."""

    name: str
    exercise: str
    points: float
    earned: float
    passed: bool
    hidden: bool
    text: str = ""
    seconds: float = 0.0


class Seen(msgspec.Struct, frozen=True):
    """A submission as its student may see it. `head` stands above the checks."""

    head: str
    lines: tuple[Line, ...]
    document: dict[str, Any]


def seen(mark: Mark, catalogue: Mapping[str, Misconception]) -> Seen:
    """What may be shown of a mark that has a document. Voided checks and rejected names are out."""
    assert mark.document is not None
    document = student_document(_decided(mark.document), catalogue)
    grade = document["grade"]
    loose = {
        entry["name"]: [found for found in entry["findings"] if found["bug"] or found["title"]]
        for entry in grade["exercises"]
    }
    tests = document["tests"]
    texts: dict[int, list[str]] = {}
    for wanted in (_same_check, _same_kind, _any):
        for place, test in enumerate(tests):
            if test["outcome"] == "passed":
                continue
            of = loose.get(test["metadata"]["exercise"], [])
            fits = [found for found in of if wanted(found, test)]
            texts.setdefault(place, []).extend(_finding(found) for found in fits)
            of[:] = [found for found in of if found not in fits]
    names: Counter[str] = Counter()
    lines = [_line(test, texts.get(place, ()), names) for place, test in enumerate(tests)]
    return Seen(_head(mark, grade), tuple(lines), document)


def _decided(document: dict[str, Any]) -> dict[str, Any]:
    grade = document["grade"]
    voided = {one["check"] for one in grade.get("voided", ())}
    rejected = {(one["exercise"], one["rejected"]) for one in grade.get("overrides", ())}
    exercises = [
        {
            **entry,
            "findings": [
                found
                for found in entry["findings"]
                if (entry["name"], found["bug"]) not in rejected and found["check"] not in voided
            ],
        }
        for entry in grade["exercises"]
    ]
    tests = [test for test in document["tests"] if test["nodeid"] not in voided]
    # Who decided, and which hidden check was taken out, is staff's.
    open_grade = {**grade, "exercises": exercises, "overrides": [], "voided": []}
    return {**document, "tests": tests, "grade": open_grade}


def _same_check(found: dict[str, Any], test: dict[str, Any]) -> bool:
    return not found["hidden"] and bool(found["check"] == test["nodeid"])


def _same_kind(found: dict[str, Any], test: dict[str, Any]) -> bool:
    return bool(found["hidden"]) == bool(test["metadata"]["visibility"] == "hidden")


def _any(found: dict[str, Any], test: dict[str, Any]) -> bool:
    # What a hidden check saw is never told beside a public one: that may be shown earlier.
    return not found["hidden"]


def _line(test: dict[str, Any], texts: Any, names: Counter[str]) -> Line:
    about = test["metadata"]
    name = clean(f"{about['exercise']}: {about['title']}")
    names[name] += 1
    unique = name if names[name] == 1 else f"{name} ({names[name]})"
    passed = test["outcome"] == "passed"
    text = "\n\n".join(dict.fromkeys(texts))
    if not passed and not text:
        lost = written(about["points"] - about["earned"])
        text = f"{lost} of {written(about['points'])} points are lost here."
    hidden = about["visibility"] == "hidden"
    seconds = sum(
        float(test[stage]["duration"]) for stage in ("setup", "call", "teardown") if stage in test
    )
    return Line(
        unique, about["exercise"], about["points"], about["earned"], passed, hidden,
        text[:_LONGEST], seconds,
    )  # fmt: skip


def _finding(found: dict[str, Any]) -> str:
    where = f" (line {found['line']})" if found["line"] and not found.get("cell") else ""
    if found.get("cell"):
        at = f", line {found['line']}" if found["line"] else ""
        where = f" (cell {found['cell']}{at})"
    parts = [f"{found['title']}{where}", found["message"]]
    parts += [f"Try: {hint}" for hint in found["hints"][:HINTS]]
    return clean("\n".join(part for part in parts if part))


def _head(mark: Mark, grade: dict[str, Any]) -> str:
    if mark.status == "unreadable":
        why = " ".join(note["message"] for note in grade["notes"][:1])
        return clean(f"The submission could not be read. {why}".strip())
    parts = []
    if mark.score is not None and mark.max_score is not None:
        parts.append(f"{written(mark.score)} of {written(mark.max_score)} points.")
    if mark.document is not None and mark.document["grade"].get("overrides"):
        parts.append("A person has looked at this and decided some of it.")
    parts += [str(reason) for reason in grade["review"]]
    return clean(" ".join(parts))


def short(mark: Mark, catalogue: Mapping[str, Misconception], most: int = 1500) -> str:
    """A comment for a gradebook's cell: the points, an exercise a line, first mistakes by title."""
    view = seen(mark, catalogue)
    lines = [view.head]
    titles = {
        entry["name"]: [clean(found["title"]) for found in entry["findings"][:1]]
        for entry in view.document["grade"]["exercises"]
    }
    for one in mark.exercises:
        said = f": {titles[one.name][0]}" if titles.get(one.name) else ""
        lines.append(f"{one.name} {written(one.score)}/{written(one.max_score)}{said}")
    text = "\n".join(line for line in lines if line)
    return text if len(text) <= most else text[: most - 3] + "..."
