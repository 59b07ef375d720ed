"""The report, as plain frozen records: the "grade" key of a JSON report, format grade/1.

Everything here is JSON already: text without half surrogates, numbers, lists, objects. Numbers
that JSON has no sign for are the strings "nan", "inf" and "-inf".
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

FORMAT: Literal["grade/1"] = "grade/1"

Status = Literal["graded", "unreadable", "grader_failed"]
ExerciseStatus = Literal["passed", "partial", "failed", "not_attempted"]
Points = Annotated[float, Meta(ge=0)]
Line = Annotated[int, Meta(ge=1)]
Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]


class AssignmentRef(Struct, frozen=True):
    """Which assignment it was, and in which state: `digest` changes with its rules and checks.

    `max_hints` is the most of a hint ladder that a student may see.
    """

    name: str
    title: str
    digest: str
    max_hints: Annotated[int, Meta(ge=0, le=3)] = 3


class FileRef(Struct, frozen=True):
    """A file that was read, and the digest of its bytes."""

    name: str
    sha256: Sha256


class SubmissionRef(Struct, frozen=True):
    """What was handed in, and by whom where that is known."""

    id: str
    files: tuple[FileRef, ...] = ()
    students: tuple[str, ...] = ()


class FindingEntry(Struct, frozen=True):
    """One mistake. `bug` is a misconception's slug, or null where none is recognised.

    `message` is whole lines; `hints` the whole ladder. In a notebook `line` counts within the
    code cell number `cell`. `hidden` says that a hidden check saw it.
    """

    bug: str | None
    title: str
    message: str
    evidence: dict[str, Any] = {}
    file: str = ""
    line: Line | None = None
    hints: tuple[str, ...] = ()
    check: str = ""
    cell: Line | None = None
    end_line: Line | None = None
    handout: str = ""
    hidden: bool = False
    output: str = ""


class AdviceEntry(Struct, frozen=True):
    """Worth knowing; no points hang on it."""

    slug: str
    message: str
    line: Line | None = None
    cell: Line | None = None


class ExerciseEntry(Struct, frozen=True):
    """One exercise. `max_score` is of the checks that ran, `possible` of those that did not.

    `stood_in` names the exercises whose library piece stood in for the student's function.
    """

    name: str
    score: Points
    max_score: Points
    status: ExerciseStatus
    findings: tuple[FindingEntry, ...] = ()
    advice: tuple[AdviceEntry, ...] = ()
    stood_in: tuple[str, ...] = ()
    possible: Points = 0.0
    handout: str = ""


class NoteEntry(Struct, frozen=True):
    """Something met on reading or loading that is no verdict: a statement that was skipped."""

    kind: str
    message: str
    file: str = ""
    line: Line | None = None
    cell: Line | None = None


class OverrideEntry(Struct, frozen=True):
    """A TA's decision: `points` for an exercise, or a name that was `rejected`."""

    exercise: str
    points: Points | None
    rejected: str
    why: str
    who: str
    at: float


class VoidEntry(Struct, frozen=True):
    """A check that was taken out for the whole class."""

    check: str
    why: str
    who: str
    at: float


class Report(Struct, frozen=True):
    """What is said of one submission.

    `complete` is false where hidden checks or exercises did not run; `possible` is what the checks
    that did not run in the exercises that did decide, `left_out` the exercises that did not run.
    `duration` is in seconds. `overrides` and `voided` are what people decided afterwards, the
    `final_` scores what counts with that; the grader's own stay as they were.
    """

    assignment: AssignmentRef
    submission: SubmissionRef
    status: Status
    complete: bool
    score: Points
    max_score: Points
    exercises: tuple[ExerciseEntry, ...] = ()
    notes: tuple[NoteEntry, ...] = ()
    review: tuple[str, ...] = ()
    seed: int = 0
    isolation: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    duration: Annotated[float, Meta(ge=0)] = 0.0
    possible: Points = 0.0
    left_out: tuple[str, ...] = ()
    overrides: tuple[OverrideEntry, ...] = ()
    voided: tuple[VoidEntry, ...] = ()
    final_score: Points | None = None
    final_max_score: Points | None = None
    format: Literal["grade/1"] = FORMAT

    @property
    def full_marks(self) -> bool:
        """Whether every point of what ran was earned."""
        return self.status == "graded" and self.score >= self.max_score
