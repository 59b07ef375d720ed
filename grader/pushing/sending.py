"""The loop that every channel shares: what is due is sent once, whatever strikes in between."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Literal, Protocol

import msgspec

from grader.pushing.faults import Fault, NotTaken, Refused, Unclear
from grader.pushing.ledger import Entry, Ledger
from grader.pushing.plan import Due
from grader.pushing.retrying import MOST_ASKED, Clock, Patience

_IN_A_ROW = 3  # so many that nobody answers, and the platform is not there
_GATEWAYS = (None, 408, 502, 504)  # the platform itself may still be at work
_RECENT = 300.0  # seconds: what was asked for longer ago is no longer at work
_TICK = 0.001

Kind = Literal["sent", "found", "held", "refused", "unclear", "not taken"]
Hear = Callable[[Kind, Due, str], None]


class Channel(Protocol):
    """How grades get to one column of one platform.

    `settling`: seconds after which it is looked once more whether a request has arrived after all,
    before it is made again. Needed where the same request made twice would do harm.
    """

    @property
    def target(self) -> str: ...

    @property
    def settling(self) -> tuple[float, ...]: ...

    def content(self, due: Due) -> str:
        """A digest of what decides whether anything changed."""

    def prepare(self, due: Due, stamp: float) -> str:
        """What is to be sent, as text. May make requests that do no harm when made again."""

    def send(self, entry: Entry, parts: tuple[str, ...]) -> str:
        """Send these parts of a delivery, () for all; what the platform answered."""

    def look(self, entry: Entry) -> tuple[str, ...] | None:
        """What of a delivery the platform does not have; None where it does not let us look."""

    def holds_newer(self, fault: Refused) -> bool:
        """Whether a refusal says that this delivery or a newer one is there."""


class Outcome(msgspec.Struct):
    """How many of what; `stopped` says why the run ended early."""

    counts: dict[Kind, int]
    left: int = 0
    stopped: str = ""

    @property
    def complete(self) -> bool:
        bad: tuple[Kind, ...] = ("refused", "unclear", "not taken")
        return not self.left and not any(self.counts.get(kind) for kind in bad)


class Todo(msgspec.Struct, frozen=True):
    """What has to be sent, its digest, and the newest delivery to its user."""

    due: Due
    content: str
    last: Entry | None

    @property
    def tries(self) -> int:
        """How often just this was tried before."""
        return self.last.tries if self.last and self.last.content == self.content else 0


def changed(
    channel: Channel, due: Sequence[Due], ledger: Ledger, again: Collection[str] = ()
) -> list[Todo]:
    """What the platform does not have yet, as far as the ledger knows, and the submissions `again`.

    Those that were tried least come first: one that the platform stumbles over blocks nobody.
    """
    every = [Todo(one, channel.content(one), ledger.last(one.user)) for one in due]
    todo = (one for one in every if one.due.mark.id in again or not _is_done(one))
    return sorted(todo, key=lambda one: one.tries)


def _is_done(one: Todo) -> bool:
    last = one.last
    return last is not None and last.state in ("sent", "held") and last.content == one.content


def push(
    channel: Channel,
    todo: Sequence[Todo],
    ledger: Ledger,
    clock: Clock,
    patience: Patience,
    hear: Hear,
) -> Outcome:
    """Send what is to be sent. Inside `ledger.turn()`. Raises Hopeless, GraderFailed."""
    outcome = Outcome({})
    silent = 0
    for place, one in enumerate(todo):
        try:
            kind, words = _Delivery(channel, one, ledger, clock, patience).run()
        except TooLong as too_long:
            outcome.stopped = str(too_long)
            outcome.left = len(todo) - place
            return outcome
        outcome.counts[kind] = outcome.counts.get(kind, 0) + 1
        hear(kind, one.due, words)
        silent = silent + 1 if kind in ("unclear", "not taken") else 0
        if silent == _IN_A_ROW and place + 1 < len(todo):
            outcome.stopped = f"the platform does not answer ({words})"
            outcome.left = len(todo) - place - 1
            return outcome
    return outcome


class TooLong(Exception):
    """The platform wants us to wait for longer than anybody sits and waits."""


class _Delivery:
    """One grade to one user, until the platform has it, refuses it, or does not answer."""

    def __init__(
        self,
        channel: Channel,
        todo: Todo,
        ledger: Ledger,
        clock: Clock,
        patience: Patience,
    ) -> None:
        self._channel = channel
        self._todo = todo
        self._ledger = ledger
        self._clock = clock
        self._patience = patience
        last = todo.last
        same = last is not None and last.state == "sending" and last.content == todo.content
        self._entry = last if same else None
        self._unclear = same  # a request may have arrived
        recent = last is not None and clock.time() - last.at < _RECENT
        self._settle = same and recent  # and may still be at work
        self._parts: tuple[str, ...] = ()

    def run(self) -> tuple[Kind, str]:
        fault: Fault | None = None
        for attempt in range(1, self._patience.tries + 1):
            if fault is not None:
                self._wait(self._patience.before(attempt - 1, fault.asked, self._clock), fault)
            try:
                found = self._found()
            except (NotTaken, Unclear) as trouble:
                fault = trouble
                continue
            except Refused as refusal:
                return "unclear", f"it cannot be looked for: {refusal}"
            if found:
                return "found", found
            try:
                self._prepare()
            except (NotTaken, Unclear) as trouble:
                fault = trouble  # nothing that counts was sent
                continue
            except Refused as refusal:
                return self._refused(refusal)
            try:
                return self._sent()
            except NotTaken as trouble:
                fault = trouble
            except Unclear as trouble:
                fault = trouble
                self._unclear = True
                self._settle = trouble.status in _GATEWAYS
            except Refused as refusal:
                return self._refused(refusal)
        assert fault is not None
        return self._given_up(fault)

    def _given_up(self, fault: Fault) -> tuple[Kind, str]:
        if self._unclear:
            return "unclear", fault.words
        self._closed_as_refused(fault)
        return "not taken", fault.words

    def _closed_as_refused(self, fault: Fault) -> None:
        """Also where it could not even be prepared: the next run lets others go first."""
        if self._entry is None:
            todo = self._todo
            stamp = self._stamp()
            self._entry = self._ledger.begin(todo.due, todo.content, "", stamp)
        self._ledger.close(self._entry, "refused", fault.words)

    def _found(self) -> str:
        """How it is there already, where a request may have arrived."""
        if not self._unclear or self._entry is None:
            return ""
        waits = self._channel.settling if self._settle else ()
        for wait in (0.0, *waits):
            if wait:
                self._clock.sleep(wait * self._patience.wait)
            self._ledger.alive()
            missing = self._channel.look(self._entry)
            if missing is None:
                return ""
            if not missing:
                self._ledger.close(self._entry, "sent", "found there")
                return "it had arrived"
            self._parts = missing
        return ""

    def _prepare(self) -> None:
        if self._entry is not None:
            self._ledger.again(self._entry)
            return
        self._ledger.alive()
        stamp = self._stamp()
        body = self._channel.prepare(self._todo.due, stamp)
        self._entry = self._ledger.begin(self._todo.due, self._todo.content, body, stamp)

    def _stamp(self) -> float:
        """Now, but later than the last one to this user, whatever the clock says."""
        now, last = self._clock.time(), self._todo.last
        return round(now if last is None else max(now, last.stamp + 2 * _TICK), 3)

    def _sent(self) -> tuple[Kind, str]:
        assert self._entry is not None
        answer = self._channel.send(self._entry, self._parts)
        self._ledger.close(self._entry, "sent", answer)
        return "sent", answer

    def _refused(self, fault: Refused) -> tuple[Kind, str]:
        if self._entry is not None and self._unclear and self._channel.holds_newer(fault):
            # Ours may have arrived, and something at least as new is there: never sent again.
            self._ledger.close(self._entry, "held", fault.words)
            return "held", f"the platform has this or a newer one ({fault.words})"
        self._closed_as_refused(fault)
        return "refused", fault.words

    def _wait(self, seconds: float, fault: Fault) -> None:
        if seconds > MOST_ASKED:
            self._given_up(fault)
            raise TooLong(f"the platform wants to be asked again in {seconds:.0f} s ({fault})")
        self._clock.sleep(seconds)
