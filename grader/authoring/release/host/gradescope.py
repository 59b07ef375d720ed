"""Gradescope: /autograder/submission in, /autograder/results/results.json out."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from grader.authoring.release.host.grading import Verdict, grade
from grader.authoring.release.host.resources import Resources, resources
from grader.authoring.release.host.words import failed, for_gradescope
from grader.authoring.release.host.writing import exported, read, write
from grader.people import Person
from grader.report.exporters.gradescope import FORMAT

USUAL: Final = Resources(memory_mb=768, processors=0.5)
"""Gradescope's smallest container, which is what an assignment gets unless asked otherwise."""


def main(name: str, root: Path) -> int:
    """Grade for Gradescope below `root` (the container's /); 0, or 3 where the grader failed."""
    home = root / "autograder"
    metadata = read(home / "submission_metadata.json")
    people = _people(metadata)
    verdict = grade(
        home / "source",
        name,
        home / "submission",
        called=str(metadata.get("id") or "submission"),
        people=people,
        here=resources(root, USUAL),
    )
    if verdict.failed:
        print(f"the grader failed: {verdict.failed}", file=sys.stderr)
        write(home / "results" / "results.json", for_gradescope(failed(verdict.failed)))
        return 3
    results = exported(FORMAT, verdict, people)
    if verdict.note:
        results["output"] = f"{results['output']}\n\n{verdict.note}"
    write(home / "results" / "results.json", results)
    _compare_totals(metadata, verdict)
    return 0


def _people(metadata: Mapping[str, Any]) -> list[Person]:
    users = metadata.get("users")
    found = [user for user in users if isinstance(user, dict)] if isinstance(users, list) else []
    return [
        Person(*(str(user.get(key) or "") for key in ("id", "name", "email"))) for user in found
    ]


def _compare_totals(metadata: Mapping[str, Any], verdict: Verdict) -> None:
    """Tell staff, in the output that only they see, where Gradescope counts other points."""
    about = metadata.get("assignment")
    theirs = about.get("total_points") if isinstance(about, dict) else None
    grade = verdict.document["grade"]
    try:
        differs = theirs is not None and float(theirs) != float(grade["max_score"])
    except (TypeError, ValueError):
        return
    if differs and grade["status"] == "graded":
        print(
            f"This grader gives up to {grade['max_score']:g} points, and the assignment on "
            f"Gradescope has {theirs}. Set its autograder points to {grade['max_score']:g}."
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
