"""A process that grades for an audit: tasks come in as lines of JSON, answers leave as lines.

It is a trusted process, as the grader itself is: the submissions run in workers of its own. Started
by `audit_pool`, with the place on the first line.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import msgspec
import pytest
import torch

from grader.assignment import Assignment, load_assignment
from grader.authoring.audit_records import CheckSeen, ExerciseSeen, Place, Seen, Task
from grader.checking.collection import HIDDEN, VISIBLE, Bench, Check, with_checks
from grader.checking.oracle import load_module
from grader.errors import UnreadableSubmission
from grader.grading import Graded, Grading
from grader.student.backend import Worker
from grader.student.isolation import resolve_level, starter
from grader.submission import read_submission


class Bay:
    """Grades tasks in one session of collected checks, in one of three ways each.

    With the model answer as oracle and all checks; the same with no call banned or required; and as
    it is where the solutions are not at hand.
    """

    def __init__(
        self,
        assignment: Assignment,
        checks: Sequence[Check],
        bench: Bench,
        config: pytest.Config,
        start_worker: Callable[[], Worker],
        isolation: str,
    ) -> None:
        free = [msgspec.structs.replace(e, banned=(), required=()) for e in assignment.exercises]
        self._assignment = assignment
        self._lifted = msgspec.structs.replace(assignment, exercises=tuple(free))
        self._public = msgspec.structs.replace(assignment, solutions=None)
        self._checks = checks
        self._bench = bench
        self._config = config
        self._start_worker = start_worker
        self._isolation = isolation
        self._library = load_module(assignment.library, "grader_library_oracle")
        self._kept_of_library: dict[tuple[Any, ...], tuple[Any, torch.Tensor]] = {}
        self._made: dict[tuple[str, tuple[str, ...]], Grading] = {}

    def answer(self, task: Task) -> Seen:
        """Grade what the task names."""
        try:
            submission = read_submission(Path(task.path))
        except UnreadableSubmission as error:
            return Seen(error=str(error))
        whole = self._grading("lifted" if task.lifted else "whole", task.only)
        seen = seen_in(whole.grade(submission))
        if not task.both_oracles or seen.error:
            return seen
        with self._without_solutions():
            public = seen_in(self._grading("public", task.only).grade(submission))
        if public.error:
            return public
        earned = {name: check.earned for name, check in public.checks.items()}
        return msgspec.structs.replace(seen, public=earned)

    @contextlib.contextmanager
    def _without_solutions(self) -> Iterator[None]:
        bench = self._bench
        before = bench.oracle, bench.kept
        # What was kept came from the other oracle.
        bench.oracle, bench.kept = self._library, self._kept_of_library
        try:
            yield
        finally:
            bench.oracle, bench.kept = before

    def _grading(self, way: str, only: tuple[str, ...]) -> Grading:
        if (way, only) not in self._made:
            ways = {"whole": self._assignment, "lifted": self._lifted, "public": self._public}
            checks = [c for c in self._checks if way != "public" or c.visibility == VISIBLE]
            self._made[way, only] = Grading(
                ways[way], checks, self._bench, self._config, start_worker=self._start_worker,
                isolation=self._isolation, only=only,
            )  # fmt: skip
        return self._made[way, only]


def seen_in(graded: Graded) -> Seen:
    """What an audit keeps of a graded submission."""
    report = graded.report
    if report.status != "graded":
        return Seen(error=f"{report.status}: {'; '.join(note.message for note in report.notes)}")
    checks = {}
    for test in graded.document["tests"]:
        facts = test["metadata"]
        checks[test["nodeid"]] = CheckSeen(
            exercise=facts["exercise"],
            title=facts["title"],
            points=facts["points"],
            earned=facts["earned"],
            hidden=facts["visibility"] == HIDDEN,
        )
    exercises = {}
    for entry in report.exercises:
        names = dict.fromkeys(found.bug for found in entry.findings if found.bug is not None)
        first = next((f"{found.title}: {found.message}" for found in entry.findings), "")
        exercises[entry.name] = ExerciseSeen(
            entry.score, entry.max_score, entry.status, tuple(names), " ".join(first.split())
        )
    return Seen(checks, exercises)


def serve(place: Place, lines: Iterable[bytes], out: IO[bytes]) -> None:
    """Answer task after task until there is no more."""
    assignment = load_assignment(Path(place.assignment), Path(place.solutions))
    hidden = [assignment.solutions] if assignment.solutions else []
    level, _ = resolve_level(place.isolation)
    with starter(level, assignment.limits, hidden, warm=True) as start_worker:

        def body(checks: list[Check], bench: Bench, config: pytest.Config) -> None:
            bay = Bay(assignment, checks, bench, config, start_worker, level)
            for line in lines:
                seen = bay.answer(msgspec.json.decode(line, type=Task))
                out.write(msgspec.json.encode(seen) + b"\n")
                out.flush()

        with_checks(assignment, body)


def main() -> None:
    """Read the place and the tasks from standard input; answer on what was standard output."""
    torch.set_num_threads(1)
    # A check of the author's may print: standard output is kept for answers alone.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    place = msgspec.json.decode(sys.stdin.buffer.readline(), type=Place)
    serve(place, sys.stdin.buffer, out)


if __name__ == "__main__":
    main()
