"""Audit an assignment: do its checks pass what is right, catch what is wrong, and name it?"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from grader.assignment import Assignment
from grader.authoring.audit_pool import Heard, grade_all
from grader.authoring.audit_records import ExerciseSeen, Seen, Task
from grader.authoring.audit_tasks import make_tasks, mutants_of
from grader.authoring.mutants import Mutant
from grader.errors import UsageError

NAMED_AT_LEAST = 0.97  # of the names that are due
FREE_AT_MOST = 1 / 3  # of an exercise's points, for an answer that does nothing

FAILED_RIGHT = "right, and yet points were lost"
NOT_CAUGHT = "wrong, and no point was lost"
LOST_ELSEWHERE = "wrong, and points were lost in another exercise too"
WRONG_NAME = "a wrong name, or one too many"
NO_NAME = "no name, where one is due"
ORACLES = "public checks judge otherwise without the solutions"
SURVIVED = "mutants that no check catches"
FREE = f"points for an answer that does nothing (more than {FREE_AT_MOST:.0%} of an exercise)"
NOT_STUB = "the stub is not seen as untouched"
BROKEN = "no verdict"
HEADINGS = (
    BROKEN, FAILED_RIGHT, NOT_STUB, NOT_CAUGHT, LOST_ELSEWHERE, SURVIVED, FREE, WRONG_NAME,
    NO_NAME, ORACLES,
)  # fmt: skip


class Problem(Struct, frozen=True):
    """Something that the checks or the diagnosis get wrong: on which submission, where, how."""

    heading: str
    name: str
    exercise: str
    text: str


class CheckScore(Struct, frozen=True):
    """What one check does, of the mutants and wrong submissions of its own exercise.

    `alone` and `wrong_alone` count those that no other check of the exercise catches.
    """

    id: str
    exercise: str
    points: float
    mutants: int
    caught: int
    alone: int
    wrong: int
    wrong_caught: int
    wrong_alone: int
    failed_right: int


class MutantSeen(Struct, frozen=True):
    """A mutant, the checks that caught it and the names that the diagnosis gave to it.

    Without a verdict it is neither caught nor survived; an equivalent one never counts as the
    latter.
    """

    mutant: Mutant
    caught_by: tuple[str, ...]
    names: tuple[str, ...]
    caught: bool
    survived: bool


class Audit(Struct, frozen=True):
    """All that an audit found. `free` is what degenerate answers earn: (earned, of) an exercise.

    `counts` is how many submissions of each kind were graded, `named` how many of the `due` names
    were given and no other.
    """

    assignment: str
    exercises: tuple[str, ...]
    problems: tuple[Problem, ...]
    scores: tuple[CheckScore, ...]
    mutants: tuple[MutantSeen, ...]
    free: dict[str, dict[str, tuple[float, float]]]
    counts: dict[str, int]
    named: int
    due: int

    @property
    def passed(self) -> bool:
        """Whether nothing gets through: a few missing names are allowed, wrong ones are not."""
        grave = any(problem.heading != NO_NAME for problem in self.problems)
        return not grave and self.named >= NAMED_AT_LEAST * self.due


def audit(
    assignment: Assignment,
    only: Sequence[str] = (),
    *,
    jobs: int = 1,
    isolation: str = "auto",
    heard: Heard = lambda done, total: None,
) -> Audit:
    """Grade everything that is known to be right or wrong and compare with what is due.

    With `only`, the wrong submissions, mutants and checks of those exercises. `heard(done, total)`
    tells how far it is. Raises UsageError (AssignmentError for a file that is amiss), GraderFailed.
    """
    if assignment.solutions is None or not (assignment.solutions / "reference.py").is_file():
        what = f"the model answer of {assignment.name} is not at hand"
        raise UsageError(what, "Say where the solutions lie with --solutions DIR.")
    for name in only:
        assignment.exercise(name)
    order = [exercise.name for exercise in assignment.exercises]
    audited = tuple(name for name in order if not only or name in only)
    made = mutants_of(assignment, audited)
    with tempfile.TemporaryDirectory(prefix="grade-audit-") as scratch:
        tasks = make_tasks(assignment, made, only, Path(scratch))
        seen = grade_all(assignment, tasks, jobs=jobs, isolation=isolation, heard=heard)
    return conclude(assignment.name, audited, tasks, seen, made)


def conclude(
    assignment: str,
    exercises: tuple[str, ...],
    tasks: Sequence[Task],
    seen: Sequence[Seen],
    made: Sequence[Mutant],
) -> Audit:
    """The audit, from what was graded; the tasks of kind mutant are those `made`, in order."""
    graded = list(zip(tasks, seen, strict=True))
    of_mutants = [answer for task, answer in graded if task.kind == "mutant"]
    mutants = tuple(map(_mutant_seen, made, of_mutants))
    problems = [p for task, answer in graded for p in _problems(task, answer, exercises)]
    problems += [_survivor(m) for m in mutants if m.survived]
    due = [
        (bool(slug), _name_is_right(slug, answer.exercises.get(name)))
        for task, answer in graded
        for name, slug in task.expected.items()
        if name in exercises
    ]
    counts: dict[str, int] = {}
    for task in tasks:
        counts[task.kind] = counts.get(task.kind, 0) + 1
    return Audit(
        assignment=assignment,
        exercises=exercises,
        problems=tuple(sorted(problems, key=lambda p: HEADINGS.index(p.heading))),
        scores=tuple(_scores(exercises, graded, mutants)),
        mutants=mutants,
        free={
            task.name: {e: (o.score, o.max_score) for e, o in _chosen(answer, exercises)}
            for task, answer in graded
            if task.kind == "degenerate"
        },
        counts=counts,
        named=sum(right for wanted, right in due if wanted),
        due=sum(wanted for wanted, _ in due),
    )


def _problems(task: Task, seen: Seen, exercises: Sequence[str]) -> Iterator[Problem]:
    if seen.error:
        yield Problem(BROKEN, task.name, ", ".join(task.only), seen.error)
        return
    for name, outcome in _chosen(seen, exercises):
        of = f"{outcome.score:g} of {outcome.max_score:g}"
        if task.kind in ("reference", "library", "right") and outcome.lost:
            why = f"{of}; {', '.join(_lost_in(seen, name))}: {outcome.account}"
            yield Problem(FAILED_RIGHT, task.name, name, why)
        elif task.kind == "stub" and (outcome.score or outcome.status != "not_attempted"):
            yield Problem(NOT_STUB, task.name, name, f"{of}, {outcome.status}")
        elif task.kind == "degenerate" and outcome.score > FREE_AT_MOST * outcome.max_score:
            yield Problem(FREE, task.name, name, of)
        elif task.kind == "wrong":
            yield from _problems_of_wrong(task, seen, name, outcome)
    yield from _other_verdicts(task, seen, exercises)


def _problems_of_wrong(
    task: Task, seen: Seen, name: str, outcome: ExerciseSeen
) -> Iterator[Problem]:
    if name not in task.expected:
        if outcome.lost:
            why = f"{', '.join(_lost_in(seen, name))}: {outcome.account}"
            yield Problem(LOST_ELSEWHERE, task.name, name, why)
        return
    due = task.expected[name]
    if not outcome.lost:
        yield Problem(NOT_CAUGHT, task.name, name, f"{due or 'no name'} is due")
    elif not _name_is_right(due, outcome):
        got = ", ".join(outcome.names) or "no name"
        heading = WRONG_NAME if outcome.names else NO_NAME
        text = f"{due or 'no name'} is due, got {got}: {outcome.account}"
        yield Problem(heading, task.name, name, text)


def _other_verdicts(task: Task, seen: Seen, exercises: Sequence[str]) -> Iterator[Problem]:
    for check, earned in seen.public.items():
        known = seen.checks[check]
        if known.exercise in exercises and earned != known.earned:
            text = f"{check}: {known.earned:g} with them, {earned:g} without"
            yield Problem(ORACLES, task.name, known.exercise, text)


def _name_is_right(due: str, outcome: ExerciseSeen | None) -> bool:
    return outcome is not None and outcome.names == ((due,) if due else ())


def _mutant_seen(mutant: Mutant, seen: Seen) -> MutantSeen:
    outcome = seen.exercises.get(mutant.function)
    return MutantSeen(
        mutant,
        tuple(_lost_in(seen, mutant.function)),
        outcome.names if outcome else (),
        caught=outcome is not None and outcome.lost,
        survived=outcome is not None and not outcome.lost and not mutant.equivalent,
    )


def _survivor(seen: MutantSeen) -> Problem:
    mutant = seen.mutant
    return Problem(SURVIVED, mutant.operator, mutant.function, mutant.description)


def _scores(
    exercises: Sequence[str],
    graded: Sequence[tuple[Task, Seen]],
    mutants: Sequence[MutantSeen],
) -> Iterator[CheckScore]:
    checks = {place: known for _, seen in graded for place, known in seen.checks.items()}
    real = [seen for seen in mutants if not seen.mutant.equivalent]
    for place, check in checks.items():
        name = check.exercise
        if name not in exercises:
            continue
        of_mutants = [m.caught_by for m in real if m.mutant.function == name]
        of_wrong = [tuple(_lost_in(seen, name)) for task, seen in graded if name in task.expected]
        right = [
            seen.checks[place]
            for task, seen in graded
            if task.kind in ("reference", "library", "right") and place in seen.checks
        ]
        yield CheckScore(
            id=place,
            exercise=name,
            points=check.points,
            mutants=len(of_mutants),
            caught=sum(place in caught for caught in of_mutants),
            alone=of_mutants.count((place,)),
            wrong=len(of_wrong),
            wrong_caught=sum(place in caught for caught in of_wrong),
            wrong_alone=of_wrong.count((place,)),
            failed_right=sum(known.lost for known in right),
        )


def _lost_in(seen: Seen, exercise: str) -> list[str]:
    own = ((place, check) for place, check in seen.checks.items() if check.exercise == exercise)
    return [place for place, check in own if check.lost]


def _chosen(seen: Seen, exercises: Iterable[str]) -> list[tuple[str, ExerciseSeen]]:
    return [(name, seen.exercises[name]) for name in exercises if name in seen.exercises]
