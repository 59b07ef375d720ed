"""From what the checks said to the report."""

from __future__ import annotations

import functools
import importlib.metadata
import platform
from collections.abc import Mapping, Sequence
from typing import cast

import grader
from grader.assignment import Assignment
from grader.checking.collection import HIDDEN
from grader.checking.judging import CheckResult, ExerciseResult, Judgement
from grader.errors import GraderError
from grader.misconceptions.finding import Advice, Finding
from grader.observation import LoadNote
from grader.report.model import (
    AdviceEntry,
    AssignmentRef,
    ExerciseEntry,
    ExerciseStatus,
    FileRef,
    FindingEntry,
    NoteEntry,
    Report,
    Status,
    SubmissionRef,
)
from grader.report.plain import plain, text
from grader.submission import Note, Submission, display_place


def build_report(
    assignment: Assignment,
    submission: Submission,
    judgement: Judgement,
    *,
    findings: Mapping[str, Sequence[Finding]],
    advice: Mapping[str, Sequence[Advice]] | None = None,
    load_notes: Sequence[LoadNote] = (),
    review: Sequence[str] = (),
    students: Sequence[str] = (),
    seed: int | None = None,
    isolation: str = "",
    duration: float = 0.0,
) -> Report:
    """The report of a submission that was judged; `duration` in seconds.

    An exercise that lost points and has no finding gets one that repeats what its checks said.
    """
    advice = advice or {}
    entries = tuple(
        _exercise(
            outcome, findings.get(outcome.exercise.name, ()), advice.get(outcome.exercise.name, ())
        )
        for outcome in judgement.exercises
    )
    ran = {entry.name for entry in entries}
    left_out = tuple(known.name for known in assignment.exercises if known.name not in ran)
    possible = sum(entry.possible for entry in entries)
    notes = [*map(_read_note, submission.notes), *map(_load_note, load_notes)]
    return Report(
        assignment=_assignment(assignment),
        submission=_submission(submission, students),
        status="graded",
        complete=not left_out and not possible,
        score=float(sum(entry.score for entry in entries)),
        max_score=float(sum(entry.max_score for entry in entries)),
        exercises=entries,
        notes=tuple(notes),
        review=tuple(text(reason) for reason in review),
        seed=assignment.seed if seed is None else seed,
        isolation=isolation,
        versions=versions(),
        duration=float(duration),
        possible=float(possible),
        left_out=left_out,
    )


def unreadable_report(
    assignment: Assignment,
    submission: Submission | str,
    error: GraderError,
    *,
    students: Sequence[str] = (),
    seed: int | None = None,
    isolation: str = "",
    duration: float = 0.0,
) -> Report:
    """The report of what could not be read; `submission` is its id. Its note says why."""
    return _without_verdict(
        "unreadable", assignment, submission, str(error), students, seed, isolation, duration
    )


def failed_report(
    assignment: Assignment,
    submission: Submission | str,
    error: BaseException,
    *,
    students: Sequence[str] = (),
    seed: int | None = None,
    isolation: str = "",
    duration: float = 0.0,
) -> Report:
    """The report of a submission on which the grader itself broke: no verdict on the student."""
    message = str(error) or type(error).__name__
    return _without_verdict(
        "grader_failed", assignment, submission, message, students, seed, isolation, duration
    )


@functools.cache
def versions() -> dict[str, str]:
    """What the verdict was reached with; looked up once, it takes some milliseconds."""
    found = {"grader": grader.__version__, "python": platform.python_version()}
    for name in ("torch", "numpy", "pytest"):
        found[name] = importlib.metadata.version(name)
    return found


def _without_verdict(
    status: Status,
    assignment: Assignment,
    submission: Submission | str,
    message: str,
    students: Sequence[str],
    seed: int | None,
    isolation: str,
    duration: float,
) -> Report:
    return Report(
        assignment=_assignment(assignment),
        submission=_submission(submission, students),
        status=status,
        complete=False,
        score=0.0,
        max_score=0.0,
        notes=(NoteEntry(status, text(message)),),
        seed=assignment.seed if seed is None else seed,
        isolation=isolation,
        versions=versions(),
        duration=float(duration),
        possible=float(sum(exercise.points for exercise in assignment.exercises)),
        left_out=tuple(exercise.name for exercise in assignment.exercises),
    )


def _assignment(assignment: Assignment) -> AssignmentRef:
    return AssignmentRef(assignment.name, assignment.title, assignment.digest, assignment.max_hints)


def _submission(submission: Submission | str, students: Sequence[str]) -> SubmissionRef:
    names = tuple(text(name) for name in students)
    if isinstance(submission, str):
        return SubmissionRef(text(submission), (), names)
    files = tuple(FileRef(text(file.name), file.sha256) for file in submission.files)
    return SubmissionRef(text(submission.id), files, names)


def _exercise(
    outcome: ExerciseResult, findings: Sequence[Finding], advice: Sequence[Advice]
) -> ExerciseEntry:
    exercise, status = outcome.exercise, outcome.status
    entries = [_finding(found) for found in findings]
    if not entries and status in ("partial", "failed"):
        entries = _bare_findings(outcome)
    return ExerciseEntry(
        name=exercise.name,
        score=float(outcome.score),
        max_score=float(outcome.max_score),
        status=cast(ExerciseStatus, status),
        findings=tuple(entries),
        advice=tuple(
            AdviceEntry(said.slug, text(said.message), _line(said.line), _line(said.cell))
            for said in advice
        ),
        stood_in=outcome.stand_ins,
        possible=max(0.0, float(exercise.points - outcome.max_score)),
        handout=exercise.handout,
    )


def _finding(found: Finding) -> FindingEntry:
    return FindingEntry(
        bug=found.bug,
        title=text(found.title),
        message=text(found.message),
        evidence=plain(found.evidence),
        file=text(found.file),
        line=_line(found.line),
        hints=tuple(text(hint) for hint in found.hints),
        check=found.check,
        cell=_line(found.cell),
        end_line=_line(found.end_line),
        handout=found.handout,
        hidden=found.hidden,
        output=text(found.output),
    )


def _bare_findings(outcome: ExerciseResult) -> list[FindingEntry]:
    if outcome.banned is not None:
        frames = outcome.banned.frames
        file, line = (frames[-1].filename, frames[-1].line) if frames else ("", 0)
        return [_bare(f"{outcome.banned.name} may not be called here", "", file, line)]
    return [_bare_failure(result) for result in outcome.results if result.lost]


def _bare_failure(result: CheckResult) -> FindingEntry:
    raised = result.failure and result.failure.observation and result.failure.observation.raised
    frames = raised.frames if raised else []
    file, line = (frames[-1].filename, frames[-1].line) if frames else ("", 0)
    check = result.check
    message = str(result.failure or "")
    return _bare(
        f"not yet: {check.title}", message, file, line, check.id, check.visibility == HIDDEN
    )


def _bare(
    title: str, message: str, file: str, line: int, check: str = "", hidden: bool = False
) -> FindingEntry:
    cell, _ = display_place(file, line)
    return FindingEntry(
        None, title, text(message), file=text(file.partition("#cell-")[0]), line=_line(line),
        check=check, cell=cell, hidden=hidden,
    )  # fmt: skip


def _read_note(note: Note) -> NoteEntry:
    return NoteEntry(note.kind, text(note.message), "", _line(note.line), _line(note.cell))


def _load_note(note: LoadNote) -> NoteEntry:
    cell, line = display_place(note.filename, note.line)
    file = note.filename.partition("#cell-")[0]
    return NoteEntry(note.kind.replace("_", "-"), text(note.message), text(file), _line(line), cell)


def _line(number: int | None) -> int | None:
    """A line or cell number, counted from 1; None for what a worker could only have made up."""
    return number if number is not None and 1 <= number < 2**31 else None
