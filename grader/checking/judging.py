"""Run the collected checks on one submission: first with its own functions, then follow through.

First everything runs with the student's own functions. Where an exercise lost points, the checks
that failed in exercises built on it run again in a new worker, in which the library piece is
bound in its place; the better result counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from grader.assignment import Assignment, Exercise
from grader.checking.by_hand import find_banned
from grader.checking.by_library import look_for_missing
from grader.checking.collection import Bench, Check
from grader.checking.failure import Failure
from grader.checking.recalling import Calls, digest, stopped
from grader.errors import GraderError, GraderFailed, StudentError
from grader.observation import BannedCall, Observation
from grader.student.proxy import Exchange, Student
from grader.student.worker import messages as m

StartStudent = Callable[[tuple[str, ...]], Student]


@dataclass
class CheckResult:
    """One check on one submission. `stand_ins` names what library pieces stood in for."""

    check: Check
    earned: float
    reports: list[pytest.TestReport]
    failure: Failure | None = None
    calls: Sequence[Observation] = ()
    exchanges: list[Exchange] = field(default_factory=list)
    stand_ins: tuple[str, ...] = ()
    first_failure: Failure | None = None

    @property
    def lost(self) -> bool:
        return self.earned < self.check.points

    @property
    def stopped(self) -> bool:
        """A call overran its time, killed its process or answered too much."""
        return any(map(stopped, self.exchanges))


@dataclass
class ExerciseResult:
    """All of one exercise's checks. A banned call zeroes it."""

    exercise: Exercise
    results: list[CheckResult]
    banned: BannedCall | None = None
    banned_call: Observation | None = None
    stand_ins: tuple[str, ...] = ()

    @property
    def max_score(self) -> float:
        return sum(result.check.points for result in self.results)

    @property
    def score(self) -> float:
        return 0.0 if self.banned else sum(result.earned for result in self.results)

    @property
    def status(self) -> str:
        """passed, partial, failed or not_attempted."""
        if self.results and all(_not_attempted(result, self.exercise) for result in self.results):
            return "not_attempted"
        if self.score >= self.max_score:
            return "passed"
        return "partial" if self.score > 0 else "failed"


@dataclass
class Judgement:
    """What the checks said of one submission."""

    exercises: list[ExerciseResult]
    student: Student
    stood_in: dict[tuple[str, ...], Student]

    def losing(self, assignment: Assignment, name: str) -> tuple[str, ...]:
        """The exercises that `name` is built on and that lost points: those to stand in for."""
        results = {outcome.exercise.name: outcome for outcome in self.exercises}
        return _losing(assignment, name, results)

    def close(self) -> None:
        """End all workers."""
        for student in (self.student, *self.stood_in.values()):
            student.close()


def judge(
    assignment: Assignment,
    checks: Sequence[Check],
    bench: Bench,
    start: StartStudent,
    only: Sequence[str] = (),
) -> Judgement:
    """Judge one submission. `start(stand_ins)` gives it, freshly loaded.

    Raises GraderFailed where a check or the grader broke. The students in the result are open.
    """
    own = start(())
    results: dict[str, ExerciseResult] = {}
    stood_in: dict[tuple[str, ...], Student] = {}
    for exercise in assignment.exercises:
        if only and exercise.name not in only:
            continue
        mine = [check for check in checks if check.exercise == exercise.name]
        if not mine:
            continue
        outcome = ExerciseResult(exercise, [_run(check, bench, own) for check in mine])
        results[exercise.name] = outcome
        _look_for_banned(outcome, results, bench, own)
        look_for_missing(outcome, bench, own)
    for exercise in assignment.exercises:
        if exercise.name in results:
            _follow_through(assignment, exercise, results, bench, start, stood_in)
    return Judgement(list(results.values()), own, stood_in)


def _run(
    check: Check, bench: Bench, student: Student, stand_ins: tuple[str, ...] = ()
) -> CheckResult:
    student.begin(check.id)
    bench.student = student

    def live() -> tuple[list[pytest.TestReport], Failure | None]:
        failure: Failure | None = None
        reports = check.run()
        for report in reports:
            if report.outcome == "failed":
                failure = _failure(check, report, student)
        return reports, failure

    key = "check", check.id, bench.seed, stand_ins
    (reports, failure), exchanges = bench.recalling.run(
        key, student, live, keep=lambda outcome: outcome[1] is None
    )
    earned = check.points if failure is None else min(failure.earned, check.points)
    calls = list(student.calls) or Calls(student, exchanges)
    return CheckResult(check, earned, reports, failure, calls, exchanges, stand_ins)


def _failure(check: Check, report: pytest.TestReport, student: Student) -> Failure:
    error = getattr(report, "grader_error", None)
    if isinstance(error, Failure):
        if error.observation is None:
            error.observation = _call_of(error, student)
        return error
    if isinstance(error, StudentError):
        return _raised(error, student)
    if isinstance(error, AssertionError):
        calls = student.calls
        # The author's own words; what follows them is pytest's account of the check.
        said = str(error).partition("\n")[0]
        return Failure("plain", said, observation=calls[-1] if calls else None)
    if isinstance(error, GraderError):
        raise error
    text = f"{type(error).__name__}: {error}" if error is not None else str(report.longrepr)[-300:]
    raise GraderFailed(f"the check {check.id} broke: {text}") from error


def _raised(error: StudentError, student: Student) -> Failure:
    record = error.observation
    if record.function == "backward":
        # Raised on the way back: the call that made the graph is the one to talk about.
        for call in student.calls:
            if call.id == record.id:
                raised = record.raised
                return Failure(
                    "raised-in-backward", str(raised and raised.message), observation=call
                )
    return Failure("raised", str(error), observation=record)


def _call_of(failure: Failure, student: Student) -> Observation | None:
    for call in reversed(student.calls):
        if failure.got is not None and call.returned is failure.got:
            return call
    return student.calls[-1] if student.calls else None


def _not_attempted(result: CheckResult, exercise: Exercise) -> bool:
    failure = result.first_failure or result.failure
    raised = failure.observation.raised if failure and failure.observation else None
    if failure is None or failure.kind != "raised" or raised is None:
        return False
    if failure.observation is None or failure.observation.function != exercise.name:
        return False
    if raised.type == "MissingFunction":
        return True
    # Its own NotImplementedError, not one of a function that it calls.
    return (
        raised.type == "NotImplementedError"
        and bool(raised.frames)
        and raised.frames[-1].function == exercise.name
        # PyTorch raises it as well, of an operation that a dtype does not have.
        and "implemented for" not in raised.message
    )


def _look_for_banned(
    outcome: ExerciseResult,
    results: dict[str, ExerciseResult],
    bench: Bench,
    student: Student,
    stand_ins: tuple[str, ...] = (),
) -> None:
    """Make the first and last call that went well again, with the banned operators refusing."""
    exercise = outcome.exercise
    if not exercise.banned:
        return
    judged = [result for result in outcome.results if result.stand_ins == stand_ins]
    # An exercise that was caught itself answers for what was called inside of it; one that was
    # not has shown that it can do without, so here somebody asked it to.
    answerable = {
        used
        for used in exercise.uses
        if used not in stand_ins and (used not in results or results[used].banned is not None)
    }

    def live() -> tuple[BannedCall, Observation] | None:
        calls = [
            call
            for result in judged
            for call in result.calls
            if call.function == exercise.name and call.raised is None
        ]
        return find_banned(exercise, calls, student, bench.remembered, answerable, stand_ins)

    student.begin(f"by hand {exercise.name}" + (" again" if stand_ins else ""))
    # Which calls it looks at, and whether they were right, follows from all that was answered.
    asked = digest(
        [
            exchange
            for result in judged
            for exchange in result.exchanges
            if isinstance(exchange.request, m.Call) and exchange.request.function == exercise.name
        ]
    )
    key = "by hand", exercise.name, bench.seed, stand_ins, frozenset(answerable), asked
    found, _ = bench.recalling.run(key, student, live, keep=lambda outcome: outcome is None)
    if found is not None:
        outcome.banned, outcome.banned_call = found


def _follow_through(
    assignment: Assignment,
    exercise: Exercise,
    results: dict[str, ExerciseResult],
    bench: Bench,
    start: StartStudent,
    stood_in: dict[tuple[str, ...], Student],
) -> None:
    outcome = results[exercise.name]
    losing = _losing(assignment, exercise.name, results)
    if not losing or not any(result.lost for result in outcome.results):
        return
    if losing not in stood_in:
        stood_in[losing] = start(losing)
    for place, result in enumerate(outcome.results):
        if result.lost:
            again = _run(result.check, bench, stood_in[losing], losing)
            if again.earned >= result.earned:
                # Where it is no better, what failed now is a mistake of this exercise's own.
                again.first_failure = result.failure
                outcome.results[place] = again
            if again.earned > result.earned:
                outcome.stand_ins = losing
    if outcome.stand_ins and outcome.banned is None:
        _look_for_banned(outcome, results, bench, stood_in[losing], losing)


def _losing(
    assignment: Assignment, name: str, results: dict[str, ExerciseResult]
) -> tuple[str, ...]:
    return tuple(
        used
        for used in assignment.used_by(name)
        if used in results and results[used].score < results[used].max_score
    )
