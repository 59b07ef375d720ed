"""Which workers are there, and which of them may grade: asked again and again, in a thread.

A worker that comes late, or takes the place of one that died, is welcomed like the first ones.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from grader.cluster import plugin
from grader.cluster.terms import Terms, disagreement
from grader.errors import GraderFailed, UsageError

if TYPE_CHECKING:
    from distributed import Client

EAGER_SECONDS, CALM_SECONDS = 0.3, 2.0  # between two calls: while some are starting, and after
LOST_SECONDS = 10.0  # without an answer from the scheduler, after which it counts as gone
ALONE_SECONDS = 120.0  # without any worker, after which the batch ends
_AT_MOST_SHOWN = 3


class Roll:
    """A context manager; on leaving it every station is ended. `say` is told of each refusal."""

    def __init__(
        self, client: Client, name: str, terms: Terms, cargo: bytes, say: Callable[[str], None]
    ) -> None:
        self._client = client
        self._name = name
        self.terms = terms
        self._plugin = plugin.StationPlugin(name, terms, cargo)
        self._say = say
        self._ready: frozenset[str] = frozenset()
        self._refused: dict[str, str] = {}
        self._starting: frozenset[str] = frozenset()
        self._seen = time.monotonic()  # when there was a worker last
        self._called = 0
        self._broken = ""
        self._news = threading.Condition()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._keep_calling, daemon=True)

    def __enter__(self) -> Roll:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(timeout=10)
        with contextlib.suppress(Exception):  # who cannot be reached clears up by the lease
            self._client.run(plugin.remove, self._name, on_error="ignore")

    @property
    def ready(self) -> frozenset[str]:
        """Addresses of the workers that may grade now."""
        return self._ready

    def wait(self) -> None:
        """Until one may grade. Raises UsageError if there will be none."""
        while not self._ready:
            self._check(UsageError)
            with self._news:
                self._news.wait(timeout=0.2)

    def check(self) -> None:
        """Raises GraderFailed if nobody is left to grade."""
        self._check(GraderFailed)

    def _check(self, kind: type[UsageError] | type[GraderFailed]) -> None:
        if self._broken:
            raise GraderFailed(
                f"the scheduler cannot be reached any more ({self._broken})",
                "What is done is kept: run the same command again when it is there.",
            )
        if self._ready or self._starting or not self._called:
            return
        if self._refused:
            shown = list(self._refused.items())[:_AT_MOST_SHOWN]
            count = len(self._refused)
            raise kind(
                f"no worker may grade, of {count} that {'is' if count == 1 else 'are'} there",
                "; ".join(f"{address}: {why.rstrip('.')}" for address, why in shown) + ".",
            )
        if time.monotonic() - self._seen > ALONE_SECONDS:
            raise kind(
                f"no worker has been there for {ALONE_SECONDS:g} s",
                "Start some (`dask worker ADDRESS --nthreads 1`) and run the same command again.",
            )

    def _keep_calling(self) -> None:
        answered = time.monotonic()
        while not self._over.is_set():
            try:
                self._call()
                answered = time.monotonic()
            except Exception as error:
                if time.monotonic() - answered > LOST_SECONDS:
                    self._broken = str(error) or type(error).__name__
                    return
            calm = self._ready and not self._starting
            self._over.wait(CALM_SECONDS if calm else EAGER_SECONDS)

    def _call(self) -> None:
        found = self._client.run(plugin.look, self._name, on_error="return")
        ready, starting, new = set(), set(), []
        for address, answer in found.items():
            state, why = self._judged(answer)
            if state == "absent" and address in self._refused:
                continue  # it could not be started there
            if state == "ready":
                ready.add(address)
            elif state == "refused":
                self._refuse(address, why)
            elif state in ("starting", "absent"):
                starting.add(address)
                new += [address] if state == "absent" else []
        self._refused = {name: why for name, why in self._refused.items() if name in found}
        if found:
            self._seen = time.monotonic()
        with self._news:
            self._ready, self._starting = frozenset(ready), frozenset(starting)
            self._called += 1
            self._news.notify_all()
        if new:
            self._install(new)

    def _judged(self, answer: Any) -> tuple[str, str]:
        """(state, why) of what a worker answered; "gone" where it is going."""
        if isinstance(answer, OSError):
            return "gone", ""
        if isinstance(answer, BaseException):
            why = f"it has no grader that this one can talk to ({answer})"
            return "refused", f"{why}. Install autograd-grader=={self.terms.versions.grader} there."
        try:
            said = msgspec.convert(answer, plugin.Answer)
        except msgspec.ValidationError as error:
            return "refused", f"it answers in another way ({error})"
        why = disagreement(self.terms.versions, said.versions)
        if why:
            return "refused", why
        if said.threads != 1:
            why = f"it runs {said.threads} tasks at a time, and grading takes a process of its own"
            return "refused", f"{why}. Start it with --nthreads 1."
        return said.state, said.why

    def _refuse(self, address: str, why: str) -> None:
        if self._refused.get(address) != why:
            self._refused[address] = why
            self._say(f"worker {address} gets no submissions: {why}")

    def _install(self, addresses: list[str]) -> None:
        answers = self._client.run(
            plugin.install, self._plugin, workers=addresses, on_error="return"
        )
        for address, answer in answers.items():
            if isinstance(answer, BaseException) and not isinstance(answer, OSError):
                self._refuse(address, f"its station cannot be started ({answer})")
