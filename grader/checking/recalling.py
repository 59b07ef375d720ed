"""What was judged before is not judged again: a check is a function of the answers it gets.

A check draws its inputs from a seed and asks the submission; all else that it uses is the same for
everybody. So where a submission answers every question, to the last bit, as an earlier one did that
passed, it passes as well, and neither the check's arithmetic nor its packing is done again. Most of
a class computes the same numbers most of the time.

Only passing is recalled. Who answers anything new is judged by the check itself, and the questions
that were put to it already are not put twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from grader.observation import STOPPED, Observation
from grader.student.proxy import Exchange, Student
from grader.student.worker import messages as m

MOST_PATHS = 24  # ways of passing kept for one check
MOST_BYTES = 200_000  # of one of them: who prints a megabyte a call is judged each time
MOST_IN_ALL = 64_000_000  # bytes of all of them
T = TypeVar("T")


@dataclass(frozen=True)
class _Path:
    exchanges: list[Exchange]
    bits: list[bytes]
    outcome: Any


class Recalling:
    """Ways in which checks were passed, kept for a batch."""

    def __init__(self) -> None:
        self._paths: dict[Hashable, list[_Path]] = {}
        self._room = MOST_IN_ALL

    def run(
        self, key: Hashable, student: Student, live: Callable[[], T], keep: Callable[[T], bool]
    ) -> tuple[T, list[Exchange]]:
        """What `live()` gives, or gave under this key to the same answers; and what was asked.

        `student.begin` was called. `live` depends on the key and on answers alone; `keep` says
        whether its outcome may be given again.
        """
        paths = self._paths.get(key, [])
        made: list[Exchange] = []
        # A function that overran once has less time now: other questions than those kept.
        alive = [] if student.hurried else paths
        while alive:
            at = len(made)
            over = next((path for path in alive if len(path.exchanges) == at), None)
            if over is not None:
                return over.outcome, made
            made.append(student.exchange(alive[0].exchanges[at].request))
            said = _bits(made[at])
            alive = [path for path in alive if path.bits[at] == said]
        student.serve(made)
        outcome = live()
        exchanges = list(student.exchanges)
        # Nor may the little time of one who overran become that of those who come after.
        if len(paths) < MOST_PATHS and not student.hurried and keep(outcome):
            self._keep(key, exchanges, outcome)
        return outcome, exchanges

    def _keep(self, key: Hashable, exchanges: list[Exchange], outcome: Any) -> None:
        if any(map(stopped, exchanges)):
            return
        bits = list(map(_bits, exchanges))
        size = sum(map(len, bits))
        if size <= min(MOST_BYTES, self._room):
            self._room -= size
            self._paths.setdefault(key, []).append(_Path(exchanges, bits, outcome))


class Calls(Sequence[Observation]):
    """The records of calls, made of what was asked and answered when somebody looks at them."""

    def __init__(self, student: Student, exchanges: Sequence[Exchange]) -> None:
        self._student = student
        self._exchanges = exchanges
        self._records: list[Observation] | None = None

    def _made(self) -> list[Observation]:
        if self._records is None:
            self._records = [
                self._student.recorded(exchange)
                for exchange in self._exchanges
                if isinstance(exchange.request, m.Call)
            ]
        return self._records

    def __len__(self) -> int:
        return len(self._made())

    def __getitem__(self, index: Any) -> Any:
        return self._made()[index]

    def __iter__(self) -> Iterator[Observation]:
        return iter(self._made())


def stopped(exchange: Exchange) -> bool:
    """The call came to no end of its own. How far it comes says nothing about the next time."""
    raised = exchange.answer.raised
    return raised is not None and raised.type in STOPPED


def digest(exchanges: Sequence[Exchange]) -> bytes:
    """Tells apart what was asked and answered, however long it is, to the last bit."""
    found = hashlib.sha256()
    for exchange in exchanges:
        found.update(_bits(exchange))
    return found.digest()


def _bits(exchange: Exchange) -> bytes:
    # Not by ==, to which 1, 1.0 and True are one, and a NaN is never itself.
    try:
        return msgspec.msgpack.encode(exchange)
    except (ValueError, OverflowError, RecursionError):  # never crossed the wire
        return repr(exchange).encode("utf-8", "surrogatepass")
