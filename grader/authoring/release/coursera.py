"""Coursera: what the image of a custom grader is built from."""

from __future__ import annotations

from grader.assignment import Assignment
from grader.authoring.release.bundle import Bundle
from grader.authoring.release.host.words import NEVER_FINISHED, for_coursera
from grader.authoring.release.parts import add_failed, add_grader, add_public, add_staffs
from grader.authoring.release.templates import filled
from grader.authoring.release.values import values_of


def build(assignment: Assignment, image: str = "") -> Bundle:
    """The bundle; its Dockerfile puts all of it into /grader. Raises UsageError."""
    bundle, values = Bundle(), values_of(assignment, image)
    for name in ("Dockerfile", "README.md"):
        bundle.add(name, filled(f"coursera/{name}", values))
    bundle.add("run.sh", filled("coursera/run.sh", values), executable=True)
    add_grader(bundle, "")
    add_public(bundle, assignment, f"assignments/{assignment.name}")
    add_staffs(bundle, assignment, f"solutions/{assignment.name}")
    add_failed(bundle, "", for_coursera(NEVER_FINISHED))
    return bundle
