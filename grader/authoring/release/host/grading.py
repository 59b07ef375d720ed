"""Grade one submission where a bundle was unpacked; whatever happens there is a document of it."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

import msgspec

from grader.assignment import Assignment, load_assignment
from grader.authoring.release.host.resources import Resources, fitting
from grader.authoring.release.host.shutting import shut
from grader.errors import GraderError, GraderFailed, UnreadableSubmission
from grader.grading import Graded, catalogue_of, with_grading
from grader.misconceptions.catalogue import Misconception
from grader.people import Person
from grader.reading import read_for
from grader.report.build import failed_report, unreadable_report
from grader.report.document import Document, bare_document
from grader.report.model import NoteEntry, Report
from grader.report.plain import plain
from grader.student.isolation import starter
from grader.student.jail import Level
from grader.submission import Submission


class Verdict(msgspec.Struct, frozen=True):
    """What came of it: staff's document, the words about mistakes, what to say beside the points.

    `note` is for everyone to read: how student code was kept in where less than usual did that.
    """

    document: Document
    catalogue: dict[str, Misconception]
    note: str = ""

    @property
    def failed(self) -> str:
        """Why there is no verdict: the grader's own failure. Empty where there is one."""
        grade = self.document["grade"]
        if grade["status"] != "grader_failed":
            return ""
        return str(grade["notes"][0]["message"])


def grade(
    home: Path,
    name: str,
    place: Path,
    *,
    called: str,
    people: Sequence[Person] = (),
    here: Resources,
    closed: Sequence[Path] = (),
) -> Verdict:
    """Grade what lies at `place` with the assignment `name` of the bundle in `home`.

    `called` is the submission's id. `closed` are more folders than `home` that student code must
    not enter. Raises GraderError only where the bundle itself cannot be read.
    """
    staffs = home / "solutions"
    assignment = load_assignment(home / "assignments" / name, staffs if staffs.is_dir() else None)
    assignment = msgspec.structs.replace(assignment, limits=fitting(assignment.limits, here))
    students = [person.shown for person in people]
    note = ""
    try:
        level, note = shut([home, *closed])
        submission = msgspec.structs.replace(read_for(place, assignment), id=called)
        graded = _graded(assignment, submission, students, level)
        report, document = graded.report, graded.document
    except UnreadableSubmission as error:
        report = unreadable_report(assignment, called, error, students=students)
        document = bare_document(report)
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        broke = error if isinstance(error, GraderError) else GraderFailed(_said(error))
        report = failed_report(assignment, called, broke, students=students)
        document = bare_document(report)
    if note:
        document = _with_note(document, report, note)
    return Verdict(document, catalogue_of(assignment), note)


def _graded(
    assignment: Assignment, submission: Submission, students: Sequence[str], level: Level
) -> Graded:
    hidden = [assignment.solutions] if assignment.solutions else []
    found: list[Graded] = []
    # Warm: without Landlock a worker can open no file later on, to import one either.
    with starter(level, assignment.limits, hidden, warm=True) as start_worker:
        with_grading(
            assignment,
            lambda grading: found.append(grading.grade(submission, students)),
            start_worker=start_worker,
            isolation=level,
        )
    return found[0]


def _with_note(document: Document, report: Report, note: str) -> Document:
    noted = msgspec.structs.replace(report, notes=(*report.notes, NoteEntry("isolation", note)))
    return {**document, "grade": plain(msgspec.to_builtins(noted))}


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
