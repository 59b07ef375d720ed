"""Read what was handed in for one assignment: its stub's name and content help to find the file."""

from __future__ import annotations

from pathlib import Path

from grader.assignment import Assignment
from grader.submission import ReadLimits, Submission, read_submission, stub_digest
from grader.submission.records import DEFAULT_LIMITS

UNWRITTEN = b"raise NotImplementedError"


def read_for(path: Path, assignment: Assignment, limits: ReadLimits = DEFAULT_LIMITS) -> Submission:
    """What lies at `path`. Raises UnreadableSubmission."""
    return read_submission(
        path, stub_name=assignment.stub, stub_digests=stub_digests(assignment), limits=limits
    )


def stub_digests(assignment: Assignment) -> frozenset[str]:
    """Digests of both forms of the stub, so that an untouched one is known as such.

    Who works in the assignment's own folder writes into the stub itself: of two forms the one
    with fewer functions left to write is the stub no more.
    """
    forms = [assignment.path / f"{assignment.stub}{ending}" for ending in (".py", ".ipynb")]
    found = {form.name: form.read_bytes() for form in forms if form.is_file()}
    left = {name: data.count(UNWRITTEN) for name, data in found.items()}
    most = max(left.values(), default=0)
    return frozenset(stub_digest(name, data) for name, data in found.items() if left[name] == most)
