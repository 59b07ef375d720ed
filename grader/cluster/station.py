"""The process beside a dask worker that grades; `beside.py` starts it with FD FOLDER PARENT.

A dask worker has threads and no main thread to spare; here the checks are collected in one, and
processes are forked from it, as `grade batch` does it. Over the descriptor FD come the terms and
the assignment, once, then chunks of submissions; each chunk is answered by its verdicts.

FOLDER is an empty one of mode 700 in which the assignment is unpacked. The model answer and the
hidden checks are in it for as long as they are being loaded, and gone before a submission arrives.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from grader.assignment import Assignment, load_assignment
from grader.cluster.terms import Terms, disagreement, own_versions
from grader.errors import GraderError, UsageError

if TYPE_CHECKING:
    from grader.classroom.pool import Grade, Task
    from grader.cli.running import Starting
    from grader.grading import Grading

READY = b"ready"
_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Serve until the dask worker is gone or says so; leave nothing behind."""
    descriptor, folder, parent = int(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    _end_with(parent)
    connection = Connection(descriptor)
    try:
        _serve(connection, folder)
    except (EOFError, ConnectionError):
        pass  # the dask worker hung up
    except GraderError as error:
        connection.send_bytes(str(error).encode())
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _serve(connection: Connection, folder: Path) -> None:
    terms = msgspec.msgpack.decode(connection.recv_bytes(), type=Terms)
    packed = connection.recv_bytes()
    level = _agreed(terms)
    from grader.cli.running import Starting, no_collection
    from grader.cluster.cargo import unpack_assignment

    unpack_assignment(packed, folder)
    assignment = _unpacked(folder, terms)
    zygote = _Zygote(
        lambda: Starting(level, assignment.limits, [folder], warm=True, in_process=False)
    )
    try:
        with no_collection():
            import torch

            from grader.classroom import batch
            from grader.grading import with_grading
        torch.set_num_threads(1)

        def body(collected: Grading) -> None:
            batch.rehearse(collected, assignment)
            zygote.wait_until_up()
            shutil.rmtree(folder / "solutions", ignore_errors=True)
            connection.send_bytes(READY)
            _grade_chunks(connection, collected, zygote, level)

        with_grading(
            assignment, body, start_worker=None, isolation=level, seed=terms.seed, pictures="lost"
        )
    finally:
        zygote.close()


def _grade_chunks(connection: Connection, collected: Grading, zygote: _Zygote, level: str) -> None:
    from grader.classroom.batch import grade_read
    from grader.classroom.pool import Pool, Task
    from grader.cluster.cargo import Parcel, pack, unpack_parcels

    parcels: dict[str, Parcel] = {}

    def make(slot: int) -> Grade:
        grading = collected.using(zygote.running.worker, level)

        def grade(task: Task) -> dict[str, Any]:
            parcel = parcels[task.id]  # it was here before this child was forked
            return grade_read(grading, parcel.submission, parcel.students)

        return grade

    while True:
        parcels = {parcel.id: parcel for parcel in unpack_parcels(connection.recv_bytes())}
        tasks = [Task(one.id, "", patience=one.patience) for one in parcels.values()]
        connection.send_bytes(pack(list(Pool(1, make, zygote.renew).run(tasks))))


class _Zygote:
    """The one that this station's workers are forked from, and its successors."""

    def __init__(self, start: Any) -> None:
        self._start = start
        self.running: Starting = start()

    def wait_until_up(self) -> None:
        self.running.worker().close()

    def renew(self, slot: int) -> None:
        """After a child died: its workers may be in any state, and end with their zygote."""
        self.running.close()
        self.running = self._start()
        self.wait_until_up()

    def close(self) -> None:
        self.running.close()


def _agreed(terms: Terms) -> str:
    """The isolation level. Raises UsageError where this machine cannot keep the terms."""
    from grader.student.isolation import resolve_level

    why = disagreement(terms.versions, own_versions())
    if why:
        raise UsageError(why.rstrip("."))
    return resolve_level(terms.level)[0]


def _unpacked(folder: Path, terms: Terms) -> Assignment:
    solutions = folder / "solutions"
    assignment = load_assignment(
        folder / "assignments" / terms.assignment, solutions if solutions.is_dir() else None
    )
    if assignment.digest != terms.digest:
        raise UsageError(
            f"{terms.assignment} is another there than here",
            "Its files changed while they were sent: run the same command again.",
        )
    return assignment


def _end_with(parent: int) -> None:
    """End, tidily, with the dask worker, however that ends; an interrupt is its business alone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit(0)


if __name__ == "__main__":
    main()
