"""Classroom 50: the student's checkout in, result.json beside it out. Or GitHub Actions alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from grader.authoring.release.host.grading import Verdict, grade
from grader.authoring.release.host.resources import Resources, resources
from grader.authoring.release.host.writing import exported, write
from grader.people import Person
from grader.report.exporters.classroom50 import FORMAT
from grader.report.exporters.lines import seen
from grader.report.exporters.records import mark_of

USUAL: Final = Resources()
_TOLD: Final = {
    "classroom": "CLASSROOM",
    "assignment": "ASSIGNMENT",
    "assignment_type": "ASSIGNMENT_TYPE",
    "owner": "OWNER",
    "submission": "SUBMISSION_TAG",
    "commit": "COMMIT_URL",
    "release": "RELEASE_URL",
    "review": "REVIEW_URL",
}


def main(name: str, home: Path, checkout: Path, told: Mapping[str, str]) -> int:
    """Grade the checkout; `told` is the environment. 0, or 3 where the grader failed.

    Without a submission's tag it is no run of Classroom 50: then only the summary is written.
    """
    owner = told.get("OWNER") or told.get("USERNAME") or told.get("GITHUB_ACTOR") or "submission"
    people = [Person(id=owner)]
    place = checkout
    found = [*checkout.glob("*.py"), *checkout.glob("*.ipynb")]
    if len(found) == 1:
        place = found[0]
    verdict = grade(
        home, name, place, called=owner, people=people, here=resources(Path("/"), USUAL)
    )
    if verdict.failed:
        # Classroom 50 makes an error of a status other than 0, and never a score.
        print(f"the grader failed: {verdict.failed}", file=sys.stderr)
        return 3
    text = _summary(verdict)
    print(text)
    if told.get("GITHUB_STEP_SUMMARY"):
        with open(told["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as file:
            file.write(text)
    if told.get("SUBMISSION_TAG"):
        write(checkout / "result.json", _result(verdict, people, checkout, told, owner))
        (checkout / "release-body.md").write_text(text, encoding="utf-8")
    return 0


def _result(
    verdict: Verdict,
    people: list[Person],
    checkout: Path,
    told: Mapping[str, str],
    owner: str,
) -> dict[str, Any]:
    settings = {key: told[name] for key, name in _TOLD.items() if told.get(name)}
    settings["owner"] = owner
    settings.setdefault("review", settings.get("commit", ""))
    result = exported(FORMAT, verdict, people, settings)
    result["datetime"] = _handed_in(checkout) or result["datetime"]
    if not result["tests"]:
        # Without a test it would count as an assignment that nobody grades.
        unread = {"test-name": "the submission can be read", "passed": False}
        result["tests"] = [{**unread, "score": 0, "max-score": 1}]
        result["max-score"] = 1
    return result


def _handed_in(checkout: Path) -> str:
    """When the graded commit was made; the same however often it is graded. Empty without git."""
    command = ["git", "-c", "safe.directory=*", "-C", str(checkout), "log", "-1", "--format=%ct"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
        moment = datetime.fromtimestamp(int(said.stdout), UTC)
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _summary(verdict: Verdict) -> str:
    """What was found, in Markdown; what comes from the student stands in a block of its own."""
    view = seen(mark_of(verdict.document), verdict.catalogue)
    parts = [f"### {verdict.document['grade']['assignment']['title']}", _block(view.head)]
    for line in view.lines:
        if not line.passed:
            parts.append(_block(f"{line.name}\n{line.text}"))
    if verdict.document["grade"]["possible"]:
        parts.append("Public checks alone decided; others are run after hand-in.")
    if verdict.note:
        parts.append(verdict.note)
    return "\n\n".join(parts) + "\n"


def _block(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), os.environ))
