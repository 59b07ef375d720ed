"""Grade submissions of one assignment: checks, diagnosis and report, one submission at a time.

The checks are collected once; what is kept between submissions is what does not depend on them.
"""

from __future__ import annotations

import copy
import functools
import time
import types
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest

from grader.assignment import Assignment
from grader.checking.collection import Bench, Check, with_checks
from grader.checking.judging import Judgement, judge
from grader.checking.oracle import load_module
from grader.checking.replay import replay_snippets
from grader.checking.review import review_reasons
from grader.errors import GraderError, GraderFailed, UnreadableSubmission
from grader.misconceptions.advice import advise
from grader.misconceptions.catalogue import Misconception, general, load_catalogue, merged
from grader.misconceptions.diagnosis import Diagnosis
from grader.misconceptions.imitation import OwnMisconceptions, collect
from grader.observation import LoadNote
from grader.report.build import build_report, failed_report, unreadable_report
from grader.report.document import bare_document, make_document
from grader.report.model import Report
from grader.report.pictures.asking import CALL_SECONDS, SECONDS, Wanted, pictures_for
from grader.report.pictures.collecting import Maker, makers_in
from grader.report.pictures.records import Picture
from grader.student.backend import Backend, Budget, Worker, WorkerBackend
from grader.student.in_process import InProcessBackend
from grader.student.proxy import Student
from grader.student.worker import messages as m
from grader.submission import Submission

IN_PROCESS = "in-process"


class Graded(msgspec.Struct, frozen=True):
    """A report, its whole JSON document, and snippets that replay failing calls, by check.

    `pictures`, by exercise, are for a page: they are no part of the verdict, nor of the document.
    """

    report: Report
    document: dict[str, Any]
    replays: dict[str, str] = {}
    pictures: dict[str, tuple[Picture, ...]] = {}

    @property
    def status(self) -> int:
        """The exit status: 0 full marks, 1 points lost, 2 unreadable, 3 the grader failed."""
        if self.report.status == "graded":
            return 0 if self.report.score >= self.report.max_score else 1
        return 2 if self.report.status == "unreadable" else 3


class Grading:
    """Grades submissions of one assignment, inside one session of collected checks."""

    def __init__(
        self,
        assignment: Assignment,
        checks: Sequence[Check],
        bench: Bench,
        config: pytest.Config,
        *,
        start_worker: Callable[[], Worker] | None,
        isolation: str,
        seed: int | None = None,
        only: Sequence[str] = (),
        pictures: Wanted = "none",
    ) -> None:
        self._assignment = assignment
        self._checks = checks
        self._bench = bench
        self._config = config
        self._start_worker = start_worker
        self._isolation = isolation if start_worker is not None else IN_PROCESS
        self._seed = assignment.seed if seed is None else seed
        self._only = only
        self._wanted = pictures
        self._library_source = assignment.library.read_text(encoding="utf-8")
        self._catalogue = catalogue_of(assignment)
        self._uses = {e.name: assignment.used_by(e.name) for e in assignment.exercises}
        bench.seed = self._seed

    def using(self, start_worker: Callable[[], Worker], isolation: str) -> Grading:
        """The same session of checks with workers from elsewhere: for a child of a batch."""
        other = copy.copy(self)  # with all that was read and made before
        other._start_worker = start_worker
        other._isolation = isolation
        return other

    def prepare(self) -> None:
        """Read what only wrong submissions need: for a process that children are forked from."""
        _ = self._explainer

    def grade(self, submission: Submission, students: Sequence[str] = ()) -> Graded:
        """Grade one submission. A fault of the grader's own is a report too, never a zero."""
        started = time.monotonic()
        try:
            return self._grade(submission, students, started)
        except GraderError as error:
            if isinstance(error, UnreadableSubmission):
                return self.unreadable(submission.id, error, students)
            broke: Exception = error
        except Exception as error:
            broke = GraderFailed(f"{type(error).__name__}: {error}")
        report = failed_report(
            self._assignment, submission, broke, students=students, seed=self._seed,
            isolation=self._isolation, duration=time.monotonic() - started,
        )  # fmt: skip
        return Graded(report, bare_document(report))

    def unreadable(
        self, submission_id: str, error: GraderError, students: Sequence[str] = ()
    ) -> Graded:
        """The report of what could not be read."""
        report = unreadable_report(
            self._assignment, submission_id, error, students=students, seed=self._seed,
            isolation=self._isolation,
        )  # fmt: skip
        return Graded(report, bare_document(report))

    def _grade(self, submission: Submission, students: Sequence[str], started: float) -> Graded:
        notes: list[LoadNote] = []

        budget = Budget(self._assignment.limits.submission_seconds)

        def start(stand_ins: tuple[str, ...]) -> Student:
            backend = self._backend(submission, stand_ins, budget)
            loaded = backend.load()
            if not stand_ins:
                notes.extend(loaded.notes)
            seconds = self._assignment.limits.call_seconds
            return Student(backend, self._seed, seconds, self._uses)

        judgement = judge(self._assignment, self._checks, self._bench, start, self._only)
        try:
            return self._report(submission, students, judgement, notes, started)
        finally:
            judgement.close()

    def _report(
        self,
        submission: Submission,
        students: Sequence[str],
        judgement: Judgement,
        notes: Sequence[LoadNote],
        started: float,
    ) -> Graded:
        cells = [(submission.filename(cell), cell.source) for cell in submission.cells]
        lost = any(outcome.score < outcome.max_score for outcome in judgement.exercises)
        findings = self._explainer.explain(judgement, cells) if lost else {}
        report = build_report(
            self._assignment,
            submission,
            judgement,
            findings=findings,
            advice=advise(
                judgement,
                cells,
                own=self._own,
                library=self._library,
                catalogue=self._catalogue,
            ),
            load_notes=notes,
            review=review_reasons(cells),
            students=students,
            seed=self._seed,
            isolation=self._isolation,
            duration=time.monotonic() - started,
        )
        document = make_document(report, judgement, self._config)
        pictures = pictures_for(
            judgement,
            self._makers,
            self._wanted,
            lambda: self._for_pictures(submission),
            self._bench.remembered,
        )
        snippets = replay_snippets(self._assignment, submission, judgement)
        return Graded(report, document, snippets, pictures)

    @functools.cached_property
    def _explainer(self) -> Diagnosis:
        return Diagnosis(self._assignment, self._bench, self._library, self._own, self._catalogue)

    @functools.cached_property
    def _library(self) -> types.ModuleType:
        return load_module(self._assignment.library, "grader_library_pieces")

    @functools.cached_property
    def _own(self) -> OwnMisconceptions:
        own = self._assignment.path / "misconceptions.py"
        if not own.is_file():
            return OwnMisconceptions()
        return collect(load_module(own, "grader_own_misconceptions"))

    @functools.cached_property
    def _makers(self) -> dict[str, list[Maker]]:
        own = self._assignment.path / "pictures.py"
        return makers_in(load_module(own, "grader_own_pictures")) if own.is_file() else {}

    def _for_pictures(self, submission: Submission) -> Student:
        """The submission in a worker of its own, which has seen no check."""
        backend = self._backend(submission, (), Budget(SECONDS))
        backend.load()
        seconds = min(CALL_SECONDS, self._assignment.limits.call_seconds)
        return Student(backend, self._seed, seconds, self._uses)

    def _backend(
        self, submission: Submission, stand_ins: tuple[str, ...], budget: Budget
    ) -> Backend:
        limits = self._assignment.limits
        load = m.Load(
            cells=[m.Cell(submission.filename(c), c.source) for c in submission.cells],
            stand_ins=list(stand_ins),
            # The pieces only where one stands in: an exercise is not judged beside its answer.
            library=self._library_source if stand_ins else "",
            statement_seconds=limits.statement_seconds,
            total_seconds=limits.load_seconds,
            output_limit=limits.output_kb * 1000,
        )
        if self._start_worker is None:
            return InProcessBackend(load)
        return WorkerBackend(self._start_worker, load, budget, self._isolation)


def with_grading(
    assignment: Assignment,
    body: Callable[[Grading], None],
    *,
    start_worker: Callable[[], Worker] | None,
    isolation: str,
    seed: int | None = None,
    only: Sequence[str] = (),
    debug: bool = False,
    pictures: Wanted = "none",
) -> None:
    """Collect the checks and call `body` with what grades. Raises AssignmentError, GraderFailed."""

    def inside(checks: list[Check], bench: Bench, config: pytest.Config) -> None:
        body(
            Grading(
                assignment,
                checks,
                bench,
                config,
                start_worker=start_worker,
                isolation=isolation,
                seed=seed,
                only=only,
                pictures=pictures,
            )
        )

    with_checks(assignment, inside, debug=debug)


def catalogue_of(assignment: Assignment) -> dict[str, Misconception]:
    """The general misconceptions and the assignment's own, by slug."""
    own = assignment.path / "misconceptions.toml"
    return merged(general(), load_catalogue(own) if own.is_file() else {})
