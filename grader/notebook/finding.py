"""Which assignment a notebook belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import structs

from grader.assignment import Assignment, find_assignment, known_assignments, load_assignment
from grader.cli.finding import assignment_for
from grader.errors import AssignmentError, UnreadableSubmission, UsageError
from grader.notebook.kernel import namespace, notebook_file
from grader.submission import read_submission


def assignment_of(exercises: Sequence[str], named: str | None) -> Assignment:
    """The assignment that has these exercises, without anything that is staff's.

    The one that is `named`; else what the notebook's metadata remember, if the kernel knows its
    file; else what the folder remembers; else the only one known that has these exercises. Raises
    UsageError, which says what there is.
    """
    found = _named(named) if named is not None else _remembered() or _only_one(exercises)
    names = [exercise.name for exercise in found.exercises]
    for exercise in exercises:
        if exercise not in names:
            try:
                found.exercise(exercise)
            except UsageError as error:
                listed = f"Its exercises are {_and(names)}."
                raise UsageError(error.message, _joined(error.hint, listed, names)) from None
    # This is the student's side, and their process: hidden checks and answers have no place here.
    return structs.replace(found, solutions=None)


def _named(name: str) -> Assignment:
    return find_assignment(name)


def _remembered() -> Assignment | None:
    file = notebook_file()
    if file is not None:
        noted = _noted(file)
        if noted is not None:
            try:
                return find_assignment(noted)
            except AssignmentError:
                raise
            except UsageError:
                pass  # of another machine: what lies here may know better
    folder = file.parent if file is not None else Path.cwd()
    try:
        return assignment_for(folder, None, None)
    except AssignmentError:
        raise
    except (UsageError, UnreadableSubmission):
        return None


def _noted(file: Path) -> str | None:
    try:
        return read_submission(file).assignment
    except UnreadableSubmission:
        return None


def _only_one(exercises: Sequence[str]) -> Assignment:
    known: list[Assignment] = []
    for path in known_assignments().values():
        try:
            known.append(load_assignment(path))
        except AssignmentError:
            continue  # one that somebody is working on is not the one that is asked for
    having = [one for one in known if set(exercises) <= {found.name for found in one.exercises}]
    # Where several have it, the notebook has more of one than of the others.
    written = {one.name: _written(one) for one in having}
    having = [one for one in having if written[one.name] == max(written.values())]
    if len(having) == 1:
        return having[0]
    if having:
        names = _and([one.name for one in having])
        raise UsageError(
            f"this could be {names}", f'Say which: check(..., assignment="{having[0].name}").'
        )
    asked = _and([repr(exercise) for exercise in exercises])
    listed = "; ".join(
        f"{one.name} has {_and([exercise.name for exercise in one.exercises])}" for one in known
    )
    raise UsageError(
        f"no assignment that is known here has an exercise called {asked}",
        f"{listed}." if listed else "Begin with `grade start NAME --notebook`.",
    )


def _written(assignment: Assignment) -> int:
    names = namespace()
    return sum(callable(names.get(exercise.name)) for exercise in assignment.exercises)


def _joined(hint: str, listed: str, names: Sequence[str]) -> str:
    return listed if hint.startswith("Known:") else f"{hint} {listed}".strip()


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1] if names else "")))
