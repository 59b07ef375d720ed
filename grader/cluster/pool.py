"""Hands out submissions to the cluster's workers and yields verdicts as they are finished.

Every worker has one chunk at work and one waiting. A chunk whose worker is lost goes to another;
its submissions then travel alone, so that one that takes its worker down takes no other with it.
"""

# mypy: allow-untyped-calls
# (half of distributed is without types)

from __future__ import annotations

import contextlib
import itertools
import queue
import secrets
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from grader.assignment import Assignment
from grader.classroom.batch import READ
from grader.classroom.pool import Done, Task, text_path
from grader.cluster import plugin
from grader.cluster.address import connected
from grader.cluster.cargo import Parcel, pack, pack_assignment, unpack_verdicts
from grader.cluster.roll import Roll
from grader.cluster.terms import terms_of
from grader.errors import UnreadableSubmission, UsageError
from grader.reading import stub_digests
from grader.report.build import unreadable_report
from grader.report.document import bare_document
from grader.submission import read_submission

if TYPE_CHECKING:
    from distributed import Client, Future

MOST_SUBMISSIONS = 8  # in a chunk: what a worker that dies costs; sending is cheap beside grading
MOST_BYTES = 8 << 20  # of source in a chunk, unless a single submission has more
AT_ONCE = 2  # chunks a worker has
TRIES = 3  # workers that a submission may lose
DASK_TRIES = 2  # on the same worker, after its station ended


class Chunk:
    """Some submissions that travel together, and where they are."""

    def __init__(self, parcels: list[Parcel], losses: int = 0) -> None:
        self.parcels = parcels
        self.losses = losses
        self.worker = ""
        self.future: Future[bytes] | None = None


class ClusterPool:
    """What `batch.run` takes for a pool of children. Made by `opened`."""

    def __init__(self, client: Client, roll: Roll, name: str, assignment: Assignment) -> None:
        self._client = client
        self._roll = roll
        self._name = name
        self._assignment = assignment
        self._stubs = stub_digests(assignment)
        self._numbers = itertools.count()
        self._out: dict[int, Chunk] = {}
        self._finished: queue.SimpleQueue[int] = queue.SimpleQueue()

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Verdicts as they are finished, each submission's once. Raises GraderFailed."""
        waiting = deque(tasks)
        again: deque[Chunk] = deque()
        try:
            while waiting or again or self._out:
                yield from self._hand_out(waiting, again)
                number = None
                with contextlib.suppress(queue.Empty):
                    number = self._finished.get(timeout=0.5)
                if number is not None:
                    yield from self._taken(number, again)
                yield from self._orphans(again)
                if waiting or again or self._out:
                    self._roll.check()
        finally:
            futures = [chunk.future for chunk in self._out.values()]
            self._out.clear()
            with contextlib.suppress(Exception):  # of a scheduler that is gone
                self._client.cancel(futures, force=True)

    def _hand_out(self, waiting: deque[Task], again: deque[Chunk]) -> Iterator[Done]:
        ready = self._roll.ready
        load = dict.fromkeys(sorted(ready), 0)
        for chunk in self._out.values():
            if chunk.worker in load:
                load[chunk.worker] += 1
        # First one for each, then a second one.
        for level in range(AT_ONCE):
            for worker in [name for name, count in load.items() if count == level]:
                while waiting or again:
                    if again:
                        chunk = again.popleft()
                    else:
                        # Small ones towards the end: so all workers end at about the same time.
                        fair = len(waiting) // (2 * AT_ONCE * len(ready))
                        chunk = Chunk([])
                        yield from self._fill(chunk, waiting, min(MOST_SUBMISSIONS, max(1, fair)))
                    if chunk.parcels:
                        self._send(chunk, worker)
                        load[worker] += 1
                        break

    def _fill(self, chunk: Chunk, waiting: deque[Task], most: int) -> Iterator[Done]:
        """Read submissions into `chunk`; what cannot be read has its verdict at once."""
        total = 0
        while waiting and len(chunk.parcels) < most and total < MOST_BYTES:
            task = waiting.popleft()
            try:
                submission = read_submission(
                    text_path(task.path),
                    stub_name=self._assignment.stub,
                    stub_digests=self._stubs,
                    limits=READ,
                )
                submission = msgspec.structs.replace(submission, id=task.id, assignment=None)
                parcel = Parcel(task.id, submission, task.students, task.patience)
                total += len(msgspec.msgpack.encode(parcel))
                chunk.parcels.append(parcel)
            except UnreadableSubmission as error:
                yield Done(task.id, self._unreadable(task, error))
            except Exception as error:
                yield Done(task.id, failure=f"{type(error).__name__}: {error}")

    def _unreadable(self, task: Task, error: UnreadableSubmission) -> dict[str, Any]:
        terms = self._roll.terms
        report = unreadable_report(
            self._assignment, task.id, error,
            students=task.students, seed=terms.seed, isolation=terms.level,
        )  # fmt: skip
        return bare_document(report)

    def _send(self, chunk: Chunk, worker: str) -> None:
        number = next(self._numbers)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that much is sent: it is bounded
            future = self._client.submit(
                plugin.grade_chunk,
                self._name,
                pack(chunk.parcels),
                key=f"{self._name}-{number}",
                workers=[worker],
                allow_other_workers=False,
                retries=DASK_TRIES,
                pure=False,
            )
        chunk.worker, chunk.future = worker, future
        self._out[number] = chunk
        future.add_done_callback(lambda _: self._finished.put(number))

    def _taken(self, number: int, again: deque[Chunk]) -> Iterator[Done]:
        """The verdicts of a chunk that is finished; where it failed, it goes out again."""
        chunk = self._out.pop(number, None)
        if chunk is None or chunk.future is None:
            return
        try:
            verdicts = unpack_verdicts(chunk.future.result(timeout=60))
        except Exception as error:
            # Its worker died with the verdicts, or before, or could not make any.
            yield from self._lost(chunk, f"{type(error).__name__}: {error}", again)
            return
        finally:
            chunk.future.release()
        missing = {parcel.id for parcel in chunk.parcels}
        for done in verdicts:
            if done.id in missing:
                missing.remove(done.id)
                yield done
        left = [parcel for parcel in chunk.parcels if parcel.id in missing]
        if left:
            yield from self._lost(Chunk(left, chunk.losses), "no verdict came", again)

    def _orphans(self, again: deque[Chunk]) -> Iterator[Done]:
        """Take back what was sent to workers that are gone."""
        ready = self._roll.ready
        gone = [number for number, chunk in self._out.items() if chunk.worker not in ready]
        at_work: set[str] = set()
        for number in gone:
            chunk = self._out[number]
            if chunk.future is not None and chunk.future.done():
                continue  # its verdicts may have arrived all the same
            del self._out[number]
            with contextlib.suppress(Exception):
                self._client.cancel([chunk.future], force=True)
            if chunk.worker in at_work:
                again.append(chunk)  # it was only waiting there
            else:
                at_work.add(chunk.worker)
                yield from self._lost(chunk, "its worker was lost", again)

    def _lost(self, chunk: Chunk, why: str, again: deque[Chunk]) -> Iterator[Done]:
        losses = chunk.losses + 1
        for parcel in chunk.parcels:
            if losses < TRIES or len(chunk.parcels) > 1:
                again.append(Chunk([parcel], losses))
            else:
                yield Done(parcel.id, failure=f"the grader failed on it {losses} times: {why}")


@contextlib.contextmanager
def opened(
    address: str, assignment: Assignment, *, level: str, seed: int, say: Callable[[str], None]
) -> Iterator[ClusterPool]:
    """A pool of the workers at `address`, of which at least one may grade.

    Raises UsageError where nothing answers there, or no worker may grade.
    """
    name = f"grade-{secrets.token_hex(6)}"
    terms = terms_of(assignment, level, seed)
    cargo = pack_assignment(assignment)
    with connected(address) as client:
        _check_scheduler(client, address)
        with Roll(client, name, terms, cargo, say) as roll:
            roll.wait()
            yield ClusterPool(client, roll, name, assignment)


def _check_scheduler(client: Client, address: str) -> None:
    """It has to know the functions that it passes on by name. Raises UsageError."""
    try:
        client.run_on_scheduler(plugin.known)
    except Exception as error:
        raise UsageError(
            f"the scheduler at {address} has no grader that this one can talk to ({error})",
            "Start it from an environment in which autograd-grader[cluster] is installed.",
        ) from None
