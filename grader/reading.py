"""Read what was handed in for one assignment: its stub's name and content help to find the file."""

from __future__ import annotations

from pathlib import Path

from grader.assignment import Assignment
from grader.submission import ReadLimits, Submission, read_submission, stub_digest
from grader.submission.records import DEFAULT_LIMITS


def read_for(
    path: Path, assignment: Assignment, limits: ReadLimits = DEFAULT_LIMITS
) -> Submission:
    """What lies at `path`. Raises UnreadableSubmission."""
    return read_submission(
        path, stub_name=assignment.stub, stub_digests=stub_digests(assignment), limits=limits
    )


def stub_digests(assignment: Assignment) -> frozenset[str]:
    """Digests of both forms of the stub, so that an untouched one is known as such."""
    forms = [assignment.path / f"{assignment.stub}{ending}" for ending in (".py", ".ipynb")]
    return frozenset(stub_digest(f.name, f.read_bytes()) for f in forms if f.is_file())
