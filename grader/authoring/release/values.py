"""What the templates of all hosts have blanks for."""

from __future__ import annotations

import grader
from grader.assignment import Assignment
from grader.authoring.release.pins import pins, python_version
from grader.report.exporters.numbers import written


def values_of(assignment: Assignment, image: str = "") -> dict[str, str]:
    """Values by key. Raises UsageError where the grader is not installed."""
    return {
        "NAME": assignment.name,
        "TITLE": assignment.title,
        "STUB": assignment.stub,
        "POINTS": written(sum(exercise.points for exercise in assignment.exercises)),
        "PYTHON": python_version(),
        "TORCH": pins()["torch"],
        "VERSION": grader.__version__,
        "IMAGE": image or f"autograd-grader:{grader.__version__}",
    }
