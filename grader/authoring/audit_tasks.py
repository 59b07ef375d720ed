"""The submissions of an audit: those under `solutions/`, and those made from the model answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.assignment import Assignment
from grader.authoring.audit_records import Kind, Task
from grader.authoring.mutants import Mutant, degenerate, mutants
from grader.errors import AssignmentError, UnreadableSubmission
from grader.submission import read_submission

ENDINGS = (".py", ".ipynb", ".zip")
NO_NAME = "none"

_EXPECT = re.compile(r"#\s*expect:\s*(.+)")
_PAIR = re.compile(r"(\w+)\s*:\s*([\w-]+)")


def expected_of(path: Path) -> dict[str, str]:
    """Slug by exercise from a wrong submission's first line, "" where no name is due.

    The line is `# expect: exercise: slug[, exercise: slug]`. Raises AssignmentError.
    """
    try:
        source = read_submission(path).cells[0].source
    except UnreadableSubmission as error:
        raise AssignmentError(path, "", str(error)) from None
    first = source.lstrip("\ufeff").partition("\n")[0].strip()
    said = _EXPECT.fullmatch(first)
    pairs = [_PAIR.fullmatch(part.strip()) for part in said[1].split(",")] if said else []
    found = {pair[1]: "" if pair[2] == NO_NAME else pair[2] for pair in pairs if pair}
    if not found or len(found) != len(pairs):
        why = "does not say `# expect: exercise: slug[, exercise: slug]`"
        raise AssignmentError(path, "first line", why)
    return found


def submissions_in(folder: Path) -> list[Path]:
    """The submissions of a folder such as `right/`, by name; none where there is no folder."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.suffix in ENDINGS)


def mutants_of(assignment: Assignment, only: Sequence[str] = ()) -> list[Mutant]:
    """The mutants of the model answer, of the named exercises alone where some are named."""
    names = [exercise.name for exercise in assignment.exercises]
    try:
        return mutants(assignment.oracle.read_text(encoding="utf-8"), only or names)
    except (LookupError, SyntaxError) as error:
        raise AssignmentError(assignment.oracle, "", str(error)) from None


def make_tasks(
    assignment: Assignment, made: Sequence[Mutant], only: Sequence[str], scratch: Path
) -> list[Task]:
    """Everything to grade. What is made here is written to `scratch`. Raises AssignmentError."""
    assert assignment.solutions is not None
    with_uses = _with_uses(assignment, only)
    whole = not only  # one exercise is to be audited in seconds: graded once
    tasks = [
        Task("reference", "reference.py", str(assignment.oracle), with_uses, both_oracles=whole),
        Task("library", "library_pieces.py", str(assignment.library), with_uses, lifted=True),
    ]
    tasks += [Task("stub", stub.name, str(stub), with_uses) for stub in _stubs(assignment)]
    for path in submissions_in(assignment.solutions / "right"):
        tasks.append(Task("right", path.name, str(path), with_uses, both_oracles=whole))
    for path in submissions_in(assignment.solutions / "wrong"):
        due = expected_of(path)
        for exercise in due:
            assignment.exercise(exercise)
        if not only or set(only) & set(due):
            tasks.append(
                Task("wrong", path.name, str(path), with_uses, both_oracles=whole, expected=due)
            )
    for number, mutant in enumerate(made):
        # The rest of a mutant is the model answer: other exercises' checks have nothing to say.
        tasks.append(_written("mutant", number, mutant, scratch, (mutant.function,)))
    signatures = {exercise.name: exercise.signature for exercise in assignment.exercises}
    for number, mutant in enumerate(degenerate(signatures)):
        tasks.append(_written("degenerate", number, mutant, scratch, with_uses))
    return tasks


def _with_uses(assignment: Assignment, only: Sequence[str]) -> tuple[str, ...]:
    """The named exercises and those that they are built on, without which none is stood in for."""
    wanted = {used for name in only for used in assignment.used_by(name)} | set(only)
    return tuple(exercise.name for exercise in assignment.exercises if exercise.name in wanted)


def _stubs(assignment: Assignment) -> Iterator[Path]:
    for ending in (".py", ".ipynb"):
        path = assignment.path / f"{assignment.stub}{ending}"
        if path.is_file():
            yield path


def _written(kind: Kind, number: int, mutant: Mutant, scratch: Path, only: tuple[str, ...]) -> Task:
    path = scratch / f"{kind}_{number}.py"
    path.write_text(mutant.source, encoding="utf-8")
    name = mutant.operator.removeprefix("degenerate-")
    if kind == "mutant":
        name = f"{name}, {mutant.description}"
    return Task(kind, name, str(path), only)
