"""What runs in a dask worker: it starts a station, answers the client's roll, hands chunks over.

All of it comes by name to processes that may have another grader: keep the names, import no
torch here.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from typing import Any, Literal

import msgspec
from distributed import Worker, WorkerPlugin, get_worker

from grader.cluster.beside import Beside, Ended
from grader.cluster.terms import Terms, Versions, own_versions

LEASE_SECONDS = 120.0  # without a word from the client, after which a worker clears up by itself
State = Literal["absent", "starting", "ready", "refused"]


class Answer(msgspec.Struct, frozen=True):
    """What a worker says when the roll is called."""

    versions: Versions
    threads: int
    state: State = "absent"
    why: str = ""


class StationLost(Exception):
    """The process that grades ended; dask tries the chunk again."""


class StationPlugin(WorkerPlugin):
    """A station for one run of `grade batch`, whose name it bears."""

    def __init__(self, name: str, terms: Terms, cargo: bytes) -> None:
        self.name = name
        self._terms = terms
        self._cargo = cargo

    def setup(self, worker: Worker) -> None:
        """Start the station and do not wait for it: the roll says when it is ready."""
        self._worker = worker
        self._one_at_a_time = threading.Lock()
        self._seen = time.monotonic()
        self._state: State = "starting"
        self._why = ""
        self._beside: Beside | None = None
        self._closed = False
        self._begin()
        self._lease = asyncio.get_running_loop().create_task(self._expire())

    async def teardown(self, worker: Worker) -> None:
        """End the station; nothing of it is left."""
        self._closed = True
        self._state = "absent"
        self._lease.cancel()
        if self._beside is not None:
            await asyncio.to_thread(self._beside.close)

    def answer(self) -> tuple[State, str]:
        """Its state, and why it was refused. Says to the worker that the client is there."""
        self._seen = time.monotonic()
        return self._state, self._why

    def grade(self, chunk: bytes) -> bytes:
        """The verdicts on a chunk. Raises StationLost; by then a new station is up or refused."""
        with self._one_at_a_time:
            if self._state != "ready" or self._beside is None:
                raise StationLost(self._why or "this worker does not grade now")
            try:
                return self._beside.grade(chunk)
            except Ended as error:
                lost = StationLost(str(error))
            if not self._closed:
                self._state = "starting"
                self._beside.close()
                self._begin()
                self._up.join()
            raise lost

    def _begin(self) -> None:
        try:
            # From a thread that lasts: the system ends the station with the one that started it.
            self._beside = Beside(self._terms, self._cargo)
        except (Ended, OSError) as error:
            self._state, self._why = "refused", str(error)
            return
        self._up = threading.Thread(target=self._await_ready, args=(self._beside,), daemon=True)
        self._up.start()

    def _await_ready(self, beside: Beside) -> None:
        try:
            why = beside.ready()
        except Ended as error:
            why = str(error)
        if not self._closed:
            self._state, self._why = ("refused", why) if why else ("ready", "")

    async def _expire(self) -> None:
        while time.monotonic() - self._seen < LEASE_SECONDS:
            await asyncio.sleep(LEASE_SECONDS / 10)
        # In a task of its own, for removing this plugin cancels this one.
        self._ending = asyncio.get_running_loop().create_task(self._worker.plugin_remove(self.name))


def known() -> str:
    """Run on the scheduler, which passes what stands here on by name: its grader's version."""
    return own_versions().grader


def look(name: str, dask_worker: Worker) -> dict[str, Any]:
    """Run on every worker when the roll is called: an Answer, as what any version can read."""
    plugin = dask_worker.plugins.get(name)
    state: State = "absent"
    why = ""
    if isinstance(plugin, StationPlugin):
        state, why = plugin.answer()
    answer = Answer(own_versions(), dask_worker.state.nthreads, state, why)
    found: dict[str, Any] = msgspec.to_builtins(answer)
    return found


async def install(plugin: StationPlugin, dask_worker: Worker) -> None:
    """Give a worker its station."""
    if plugin.name not in dask_worker.plugins:
        await dask_worker.plugin_add(plugin, plugin.name, catch_errors=False)


async def remove(name: str, dask_worker: Worker) -> None:
    """Take it away again."""
    with contextlib.suppress(KeyError):
        if name in dask_worker.plugins:
            await dask_worker.plugin_remove(name)


def grade_chunk(name: str, chunk: bytes) -> bytes:
    """The task: verdicts on a chunk of submissions. Raises StationLost."""
    plugin = get_worker().plugins.get(name)
    if not isinstance(plugin, StationPlugin):
        raise StationLost("this worker does not grade now")
    return plugin.grade(chunk)
