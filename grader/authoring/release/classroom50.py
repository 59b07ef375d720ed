"""Classroom 50 and plain GitHub Actions: public, so without solutions and hidden checks."""

from __future__ import annotations

import json

from grader.assignment import Assignment
from grader.authoring.release.bundle import Bundle
from grader.authoring.release.leaks import refuse_leaks
from grader.authoring.release.parts import add_grader, add_public
from grader.authoring.release.templates import filled
from grader.authoring.release.values import values_of


def build(assignment: Assignment, image: str = "") -> Bundle:
    """The bundle. Raises UsageError where an answer or a hidden check lies in it."""
    bundle, values = Bundle(), values_of(assignment)
    bundle.add("README.md", filled("classroom50/README.md", values))
    runtime = {"runs-on": "ubuntu-24.04", "python": values["PYTHON"]}
    bundle.add("runtime.json", json.dumps(runtime, indent=2) + "\n")
    for home in (f"autograders/{assignment.name}", "template/.grader"):
        bundle.add(f"{home}/autograder.py", filled("classroom50/autograder.py", values))
        add_grader(bundle, home)
        add_public(bundle, assignment, f"{home}/assignments/{assignment.name}")
    workflow = filled("classroom50/grade.yml", values)
    bundle.add("template/.github/workflows/grade.yml", workflow)
    for name in ("README.md", f"{assignment.stub}.py"):
        if (assignment.path / name).is_file():
            bundle.add_file(f"template/{name}", assignment.path / name)
    refuse_leaks(bundle, assignment)
    return bundle
