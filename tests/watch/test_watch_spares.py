"""Where nothing can be forked, workers come up ahead of the save that they are for."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from msgspec import structs

from grader.assignment import find_assignment
from grader.cli.running import starting
from grader.grading import with_grading
from grader.student import isolation
from grader.student.backend import Worker
from grader.student.launch import WorkerProcess
from grader.watching.display import Plain
from grader.watching.session import Session
from grader.watching.spare import Spares

RELU = "import torch\n\ndef relu(x):\n    return torch.where(x > 0, x, torch.zeros_like(x))\n"


@pytest.mark.skipif(os.name == "nt", reason="ends a worker by a signal")
def test_a_spare_worker_is_used_and_one_that_died_replaced(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(isolation, "forks", lambda: False)
    assignment = structs.replace(find_assignment("xor_by_hand"), solutions=None)
    file = tmp_path / "mine.py"
    file.write_text(RELU, encoding="utf-8")
    begun: list[tuple[float, Worker]] = []
    with starting("process", assignment.limits, []) as workers:

        def start() -> Worker:
            begun.append((time.monotonic(), workers.worker()))
            return begun[-1][1]

        spares = Spares(start, ahead=1)

        def body(grading):
            session = Session(
                file, assignment, grading, spares, Plain(), hints=1, show_input=False,
                wrote=lambda graded: None,
            )  # fmt: skip
            spares.refill()
            (_, spare) = begun[0]
            assert isinstance(spare, WorkerProcess)
            assert session.grade().report.score == 2
            assert len(begun) == 1, "the one that waited, and no other"
            spares.refill()
            os.kill(begun[1][1].pid, signal.SIGKILL)
            # Not the student's doing, and so nothing that the student sees.
            assert session.grade().report.score == 2
            assert len(begun) == 3
            spares.refill()

        try:
            with_grading(
                assignment,
                body,
                start_worker=spares.worker,
                isolation="process",
                only=("relu",),
            )
        finally:
            spares.close()
    assert len(begun) == 4
    assert begun[3][1].exit_code() is not None, "those that wait are ended too"
