"""Grade functions of this kernel, one exercise after the other; nothing raises at the student."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from grader.assignment import Assignment
from grader.checking.collection import Bench, Check, with_checks
from grader.errors import GraderError, GraderFailed, UsageError
from grader.grading import Grading
from grader.notebook.finding import assignment_of
from grader.notebook.kernel import namespace, notebook_file
from grader.notebook.live import Live, LiveBackend, called, live
from grader.notebook.result import Checked, Result
from grader.notebook.untouched import settings_kept
from grader.student.backend import Backend, Budget
from grader.submission import Submission

STOPPED = "stopped: no verdict"


def check_functions(
    asked: Iterable[tuple[object, object]],
    *,
    assignment: str | None = None,
    hints: int = 1,
    seed: int | None = None,
    missing: object = None,
) -> Result:
    """The result of these exercises, given as (name, function).

    A function that is `missing` is looked for by its name; without any, all that there are.
    """
    try:
        functions = _functions(asked, missing)
        found = assignment_of(list(functions), assignment)
        if not functions:
            functions = _functions([(e.name, missing) for e in found.exercises], missing)
        return Result(_graded(found, functions, seed), hints=hints)
    except KeyboardInterrupt:
        return Result(trouble=STOPPED)
    except GraderFailed as error:
        return Result(trouble=f"the grader failed: {error}")
    except GraderError as error:
        return Result(trouble=str(error))
    except Exception as error:
        return Result(trouble=f"the grader failed: {type(error).__name__}: {error}")


def _functions(asked: Iterable[tuple[object, object]], missing: object) -> dict[str, object]:
    """What was asked for, by exercise. Raises UsageError for what is no name or no function."""
    functions: dict[str, object] = {}
    for name, function in asked:
        if callable(name) and function is missing:
            name, function = getattr(name, "__name__", type(name).__name__), name
        if not isinstance(name, str):
            raise UsageError(
                f"an exercise's name was expected, not {_kind(name)}",
                'Write check("scale", scale), for example.',
            )
        if function is missing:
            function = namespace().get(name, missing)
            if function is missing:
                # Whether it is an exercise's name is said elsewhere; it is not attempted.
                function = _unwritten(name)
        if not callable(function):
            call = name if name.isidentifier() and not keyword.iskeyword(name) else "scale"
            raise UsageError(
                f"{name} has to be the function itself, and this is {_kind(function)}",
                f'Write check("{call}", {call}), without brackets behind the function.',
            )
        functions[name] = function
    return functions


def _unwritten(name: str) -> Any:
    """What stands for a function that the notebook does not have."""

    def unwritten(*args: object, **kwargs: object) -> None:
        raise MissingFunction(f"there is no function called {name}")

    return unwritten


class MissingFunction(Exception):
    """The notebook defines no function of this name."""


def _kind(thing: object) -> str:
    name = type(thing).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


class _KernelGrading(Grading):
    """Grades what lives in this process."""

    found: Live

    def _backend(
        self, submission: Submission, stand_ins: tuple[str, ...], budget: Budget
    ) -> Backend:
        return LiveBackend(self.found)


def _graded(
    assignment: Assignment, functions: Mapping[str, object], seed: int | None
) -> list[Checked]:
    """Each exercise judged by itself, as with `grade check -e`, in the assignment's order."""
    file = notebook_file()
    name = file.name if file is not None else "notebook"
    done: list[Checked] = []

    def body(checks: list[Check], bench: Bench, config: pytest.Config) -> None:
        for exercise in assignment.exercises:
            if exercise.name not in functions:
                continue
            grading = _KernelGrading(
                assignment, checks, bench, config, start_worker=None, isolation="", seed=seed,
                only=(exercise.name,),
            )  # fmt: skip
            function = functions[exercise.name]
            grading.found = live({exercise.name: function}, name)
            graded = grading.grade(grading.found.submission)
            done.append(Checked(graded, called(function, exercise.uses)))

    with settings_kept():
        with_checks(assignment, body)
    return done
