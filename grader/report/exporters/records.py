"""What an exporter gets and what it gives; a format is a pure function from one to the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from grader.errors import UsageError
from grader.misconceptions.catalogue import Misconception
from grader.people import Person, Roster

Part = tuple[str, bytes]  # what a file is to be called, and its bytes


class ExerciseMark(msgspec.Struct, frozen=True):
    """What counts for one exercise, decisions included."""

    name: str
    score: float
    max_score: float


class Mark(msgspec.Struct, frozen=True):
    """One submission: who, and what counts in the end.

    `score` is None where there is no verdict, which is never a zero. `status` is the report's, or
    "missing". `document` is the whole JSON report, staff's; `when` is in seconds since 1970.
    """

    id: str
    status: str
    people: tuple[Person, ...] = ()
    late: bool = False
    score: float | None = None
    max_score: float | None = None
    exercises: tuple[ExerciseMark, ...] = ()
    document: dict[str, Any] | None = None
    when: float = 0.0

    @property
    def shown(self) -> str:
        """How a list names it."""
        names = ", ".join(person.shown for person in self.people)
        return f"{self.id} ({names})" if names and names != self.id else self.id

    @property
    def complete(self) -> bool:
        """Whether every check of the assignment decided, hidden ones too."""
        return self.document is None or bool(self.document["grade"]["complete"])


class Request(msgspec.Struct, frozen=True):
    """What is to be exported.

    `sheet` is the file that the LMS gave, to be filled in; `layout` the download that the
    submissions came from; `settings` what was told by hand; `pages` gives a submission's HTML page.
    """

    marks: tuple[Mark, ...]
    title: str = ""
    name: str = ""
    layout: str = ""
    sheet: bytes | None = None
    roster: Roster = msgspec.field(default_factory=Roster)
    settings: Mapping[str, str] = {}
    catalogue: Mapping[str, Misconception] = {}
    pages: Callable[[str], bytes | None] = lambda _: None


class Exported(msgspec.Struct, frozen=True):
    """Files, whom the LMS does not know, and what has to be said aloud."""

    parts: tuple[Part, ...]
    unmatched: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


class Format(msgspec.Struct, frozen=True):
    """One format. `sheet` is the option that gives the file to fill in, where it needs one.

    "class" formats make one file of all marks, "each" formats one of every mark.
    """

    name: str
    about: str
    scope: Literal["class", "each"]
    write: Callable[[Request], Exported]
    sheet: str = ""


def mark_of(document: dict[str, Any], people: Sequence[Person] = (), late: bool = False) -> Mark:
    """The mark in a report's document. Decisions in it count."""
    grade = document["grade"]
    graded = grade["status"] == "graded" or grade.get("final_score") is not None
    final, most = grade.get("final_score"), grade.get("final_max_score")
    return Mark(
        id=grade["submission"]["id"],
        status=grade["status"],
        people=tuple(people) or tuple(Person("", name) for name in grade["submission"]["students"]),
        late=late,
        score=(final if final is not None else grade["score"]) if graded else None,
        max_score=(most if most is not None else grade["max_score"]) if graded else None,
        exercises=_exercises(document),
        document=document,
        when=float(document.get("created", 0.0)),
    )


def _exercises(document: dict[str, Any]) -> tuple[ExerciseMark, ...]:
    grade = document["grade"]
    voided = {one["check"] for one in grade.get("voided", ())}
    decided = {
        one["exercise"]: one["points"]
        for one in grade.get("overrides", ())
        if one["points"] is not None
    }
    found = []
    for entry in grade["exercises"]:
        name, score, most = entry["name"], entry["score"], entry["max_score"]
        for test in document["tests"]:
            about = test["metadata"]
            if about["exercise"] == name and test["nodeid"] in voided:
                score, most = score - about["earned"], most - about["points"]
        found.append(ExerciseMark(name, decided.get(name, score), most))
    return tuple(found)


def each(
    request: Request, ending: str, write: Callable[[Mark], Sequence[Part] | bytes]
) -> Exported:
    """One file, or some, of every mark that has a verdict; of the others it is said why not.

    Raises UsageError where not one has a verdict: no file is better than one that says zero.
    """
    parts: list[Part] = []
    said: list[str] = []
    for mark in request.marks:
        if mark.document is None or mark.status not in ("graded", "unreadable"):
            why = "the grader failed" if mark.status == "grader_failed" else "not graded yet"
            said.append(f"{mark.shown}: {why}, so no file is written")
            continue
        if not mark.complete and mark.status == "graded":
            said.append(f"{mark.shown}: public checks alone decided")
        made = write(mark)
        parts += [(f"{mark.id}{ending}", made)] if isinstance(made, bytes) else made
    if not parts:
        raise UsageError("there is nothing to export", "; ".join(said[:3]))
    return Exported(tuple(parts), said=tuple(said))
