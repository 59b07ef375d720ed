"""Every submission of every assignment: right ones full marks, wrong ones lose where they must.

The submissions that were chosen are graded together, in two processes, when the first result is
asked for; each has its own test. That takes long: half of the wrong ones are graded in a soak, and
most are judged twice only there; `grade audit` judges all of them both ways.
"""

from __future__ import annotations

import functools

import msgspec
import pytest

from grader.assignment import Assignment, known_assignments, load_assignment
from grader.authoring.audit_pool import grade_all
from grader.authoring.audit_records import Seen, Task
from grader.authoring.audit_tasks import expected_of, submissions_in

PROCESSES = 2
WRONG_ONES = 2  # each second one; the others in a soak, and all in `grade audit`
JUDGED_TWICE = 15  # each fifteenth submission; the others in a soak


@functools.cache
def assignments() -> tuple[Assignment, ...]:
    found = [load_assignment(folder) for folder in known_assignments().values()]
    return tuple(one for one in found if one.solutions is not None)


def tasks_of(assignment: Assignment, kind: str) -> list[Task]:
    assert assignment.solutions is not None
    if kind == "stub":
        forms = [assignment.path / f"{assignment.stub}{end}" for end in (".py", ".ipynb")]
        return [Task("stub", path.name, str(path)) for path in forms]
    if kind == "reference":
        return [Task("reference", "reference.py", str(assignment.oracle))]
    if kind == "library":
        return [Task("library", "library_pieces.py", str(assignment.library), lifted=True)]
    paths = submissions_in(assignment.solutions / kind)
    if kind == "right":
        return [Task("right", path.name, str(path)) for path in paths]
    return [Task("wrong", path.name, str(path), expected=expected_of(path)) for path in paths]


def submissions(*kinds: str, twice: bool = False) -> pytest.MarkDecorator:
    """A test for each submission of these kinds; `twice`: judged by both oracles."""
    chosen = []
    for assignment in assignments():
        tasks = [task for kind in kinds for task in tasks_of(assignment, kind)]
        for number, task in enumerate(tasks):
            again = msgspec.structs.replace(task, both_oracles=twice)
            late = number % (JUDGED_TWICE if twice else WRONG_ONES if task.kind == "wrong" else 1)
            marks = [pytest.mark.soak] if late else []
            name = f"{assignment.name}/{task.kind}/{task.name}"
            chosen.append(pytest.param((assignment, again), id=name, marks=marks))
    return pytest.mark.parametrize("submission", chosen)


@pytest.fixture(scope="module")
def graded(request: pytest.FixtureRequest) -> dict[str, Seen]:
    """What was seen, by path, of the submissions whose tests of this module were chosen."""
    wanted: dict[str, dict[str, Task]] = {}
    for item in request.session.items:
        if item.path == request.path and isinstance(item, pytest.Function):
            chosen = getattr(item, "callspec", None)
            if chosen is not None and "submission" in chosen.params:
                assignment, task = chosen.params["submission"]
                tasks = wanted.setdefault(assignment.name, {})
                if task.both_oracles or task.path not in tasks:
                    tasks[task.path] = task
    found: dict[str, Seen] = {}
    for assignment in assignments():
        tasks = list(wanted.get(assignment.name, {}).values())
        found.update(
            zip([t.path for t in tasks], grade_all(assignment, tasks, jobs=PROCESSES), strict=True)
        )
    return found


@pytest.fixture
def seen(graded: dict[str, Seen], submission: tuple[Assignment, Task]) -> Seen:
    answer = graded[submission[1].path]
    assert not answer.error
    # Every exercise was judged, by all of its checks.
    points = {exercise.name: exercise.points for exercise in submission[0].exercises}
    assert {name: seen.max_score for name, seen in answer.exercises.items()} == points
    return answer


def lost_in(seen: Seen) -> dict[str, str]:
    """What cost points, by exercise."""
    return {name: found.account for name, found in seen.exercises.items() if found.lost}


@submissions("reference", "library", "right")
def test_right_ones_get_full_marks(submission: tuple[Assignment, Task], seen: Seen) -> None:
    assert lost_in(seen) == {}
    assert {found.status for found in seen.exercises.values()} == {"passed"}
    assert not any(found.names for found in seen.exercises.values())


@submissions("wrong")
def test_wrong_ones_lose_where_they_must_and_are_named(
    submission: tuple[Assignment, Task], seen: Seen
) -> None:
    _, task = submission
    assert set(lost_in(seen)) == set(task.expected), lost_in(seen)
    due = {exercise: (slug,) if slug else () for exercise, slug in task.expected.items()}
    assert {name: seen.exercises[name].names for name in due} == due, lost_in(seen)


@submissions("stub")
def test_stub_gets_nothing(submission: tuple[Assignment, Task], seen: Seen) -> None:
    assert {found.score for found in seen.exercises.values()} == {0.0}
    assert {found.status for found in seen.exercises.values()} == {"not_attempted"}
    assert not any(found.names for found in seen.exercises.values())


@submissions("reference", "right", "wrong", twice=True)
def test_public_checks_judge_the_same_without_the_solutions(
    submission: tuple[Assignment, Task], seen: Seen
) -> None:
    with_them = {place: seen.checks[place].earned for place in seen.public}
    assert seen.public == with_them
    assert set(seen.public) == {place for place, check in seen.checks.items() if not check.hidden}


@pytest.mark.parametrize("assignment", assignments(), ids=lambda assignment: assignment.name)
def test_there_are_submissions_of_every_kind(assignment: Assignment) -> None:
    right, wrong = tasks_of(assignment, "right"), tasks_of(assignment, "wrong")
    assert right
    # Each exercise has wrong submissions of its own.
    missed = {exercise for task in wrong for exercise in task.expected}
    assert missed == {exercise.name for exercise in assignment.exercises}
