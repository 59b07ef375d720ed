"""Gradescope: a zip with setup.sh and run_autograder at its root."""

from __future__ import annotations

from grader.assignment import Assignment
from grader.authoring.release.bundle import Bundle
from grader.authoring.release.host.words import NEVER_FINISHED, for_gradescope
from grader.authoring.release.parts import add_failed, add_grader, add_public, add_staffs
from grader.authoring.release.templates import filled
from grader.authoring.release.values import values_of


def build(assignment: Assignment, image: str = "") -> Bundle:
    """The bundle; Gradescope unpacks it in /autograder/source. Raises UsageError."""
    bundle, values = Bundle(), values_of(assignment)
    for name in ("setup.sh", "run_autograder"):
        bundle.add(name, filled(f"gradescope/{name}", values), executable=True)
    bundle.add("README.md", filled("gradescope/README.md", values))
    add_grader(bundle, "")
    add_public(bundle, assignment, f"assignments/{assignment.name}")
    add_staffs(bundle, assignment, f"solutions/{assignment.name}")
    add_failed(bundle, "", for_gradescope(NEVER_FINISHED))
    return bundle
