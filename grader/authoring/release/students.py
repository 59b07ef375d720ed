"""What students get: everything they need to work and to grade themselves, and no answer."""

from __future__ import annotations

from grader.assignment import Assignment
from grader.authoring.release.bundle import Bundle
from grader.authoring.release.leaks import refuse_leaks
from grader.authoring.release.parts import add_public
from grader.authoring.release.templates import filled
from grader.authoring.release.values import values_of


def build(assignment: Assignment, image: str = "") -> Bundle:
    """The bundle. Raises UsageError where an answer or a hidden check lies in it."""
    bundle = Bundle()
    add_public(bundle, assignment, assignment.name)
    bundle.add("README.txt", filled("students/README.txt", values_of(assignment)))
    refuse_leaks(bundle, assignment)
    return bundle
