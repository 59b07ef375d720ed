"""Bytes from a worker: a message of ours or CannotDecode, soon, in little memory."""

from __future__ import annotations

import math
import socket
import struct
import threading
import time
import tracemalloc

import msgspec
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.observation import Observation
from grader.student.backend import Worker, WorkerBackend
from grader.student.proxy import Student
from grader.student.worker import messages as m
from grader.student.worker import wire
from grader.student.worker.values import Packer, Unpacker
from grader.student.worker.wire import CannotDecode, Codec

bounded = settings(max_examples=150, deadline=2000)
codec = Codec()

texts = st.text(max_size=20)
numbers = st.integers(-(2**63), 2**63 - 1)
lengths = st.integers(-3, 6) | st.sampled_from([2**31, 2**62, 2**63 - 1])
dtypes = st.sampled_from([*wire.DTYPES, "object", "float128", ""])
tensors = st.builds(
    m.TensorValue, dtype=dtypes, shape=st.lists(lengths, max_size=5).map(tuple),
    data=st.binary(max_size=200), requires_grad=st.booleans(), is_leaf=st.booleans(),
    storage=st.integers(-1, 3), graph=st.integers(-1, 3),
)  # fmt: skip
sound = st.lists(st.integers(0, 3), max_size=3).map(
    lambda shape: m.TensorValue("float32", tuple(shape), b"\0\0\x80?" * math.prod(shape), True)
)
arrays = st.builds(m.ArrayValue, dtype=dtypes, shape=st.lists(lengths, max_size=4).map(tuple),
                   data=st.binary(max_size=64))  # fmt: skip
values = st.recursive(
    st.none() | st.booleans() | numbers | st.floats() | texts | tensors | sound | arrays
    | st.builds(m.OpaqueValue, texts, texts) | st.builds(m.HandleValue, texts, texts),
    lambda inner: st.builds(m.ListValue, st.lists(inner, max_size=3))
    | st.builds(m.TupleValue, st.lists(inner, max_size=3))
    | st.builds(m.DictValue, st.lists(st.tuples(inner, inner), max_size=2)),
    max_leaves=8,
)  # fmt: skip
frames = st.builds(m.Frame, texts, numbers, texts)
raised = st.builds(
    m.Raised, texts, st.lists(texts, max_size=3), texts, st.lists(frames, max_size=3)
)
facts = st.builds(m.ArgumentFacts, st.booleans(), st.booleans(), st.booleans(), st.none() | tensors,
                  st.booleans(), numbers, st.booleans())  # fmt: skip
nodes = st.builds(m.Node, texts, st.lists(st.integers(-2, 5), max_size=3), st.integers(-3, 3))


class Scripted:
    """A worker that answers with given frames."""

    def __init__(self, frames: list[bytes]) -> None:
        self.connection, self._theirs = socket.socketpair()
        self._frames = frames
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        try:
            for frame in self._frames:
                self._theirs.sendall(frame)
            # Says no more, but hears: else what the other side sends would be what fails.
            self._theirs.shutdown(socket.SHUT_WR)
            while self._theirs.recv(65_536):
                continue
        except OSError:
            pass
        self._theirs.close()

    def exit_code(self) -> int | None:
        return 0

    def last_words(self) -> str:
        return ""

    def hang_frames(self, files: frozenset[str]) -> list[m.Frame]:
        return []

    def close(self) -> None:
        self.connection.close()
        self._thread.join()


def framed(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def observed(*answers: bytes) -> tuple[Observation, Student]:
    ready = framed(codec.encode(m.Ready("2")))
    loaded = framed(codec.encode(m.Loaded([])))

    def start() -> Worker:
        return Scripted([ready, loaded, *answers])

    student = Student(WorkerBackend(start, m.Load([])), call_seconds=0.2)
    student.begin("c")
    x = torch.ones(2, 3, requires_grad=True)
    return student.run("relu", [x, [torch.zeros(3)]]), student


@bounded
@given(st.binary(max_size=400))
def test_any_bytes(data: bytes) -> None:
    for decode in (codec.reply, codec.request):
        try:
            decode(data)
        except CannotDecode:
            continue


@bounded
@given(st.binary(max_size=100), st.booleans())
def test_any_stream(data: bytes, counted: bool) -> None:
    record, student = observed(framed(data) if counted else data)
    assert record.raised is not None
    assert record.stopped
    student.close()


@bounded
@given(
    values,
    st.lists(facts, max_size=3),
    st.none() | raised,
    st.lists(nodes, max_size=6),
    st.floats(),
)
def test_any_answer(
    value: m.Value,
    arguments: list[m.ArgumentFacts],
    error: m.Raised | None,
    graph: list[m.Node],
    took: float,
) -> None:
    try:
        data = codec.encode(m.Answer("c#1", value, error, arguments, graph=graph, seconds=took))
    except CannotDecode:
        return
    record, student = observed(framed(data))
    assert isinstance(record, Observation)
    for tensor in record.tensors:
        assert tensor.numel() <= 10_000
    for argument in record.arguments:
        argument.step.sum()
    student.close()


@bounded
@given(st.lists(st.none() | tensors | sound, max_size=4), st.none() | raised)
def test_any_gradients(grads: list[m.TensorValue | None], error: m.Raised | None) -> None:
    answer = m.Answer(
        "c#1", m.TensorValue("float32", (2, 3), b"\0" * 24, True, False),
        arguments=[m.ArgumentFacts(False, True, True)] * 2,
    )  # fmt: skip
    gradients = m.Gradients("c#2", grads, error)
    record, student = observed(framed(codec.encode(answer)), framed(codec.encode(gradients)))
    assert record.raised is None
    found = student.gradients("c#1", [torch.ones(2, 3)])
    assert isinstance(found, (list, m.Raised))
    student.close()


@bounded
@given(values)
def test_any_value_unpacks_or_is_refused(value: m.Value) -> None:
    try:
        Unpacker().unpack(value)
    except CannotDecode:
        return


@bounded
@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner)
    | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
))  # fmt: skip
def test_plain_objects_come_back(thing: object) -> None:
    def huge(item: object) -> bool:
        if isinstance(item, dict):
            return any(map(huge, item.values()))
        if isinstance(item, (list, tuple)):
            return any(map(huge, item))
        return isinstance(item, int) and not -(2**63) <= item < 2**63

    answer = m.Answer("x", Packer().pack(thing))
    back = codec.reply(codec.encode(answer))
    assert isinstance(back, m.Answer)
    if not huge(thing):
        assert repr(Unpacker().unpack(back.returned)) == repr(thing)


@pytest.mark.parametrize(
    "unit",
    [b"\xc0", b"\x90", b"\x92\xa4list\x90", b"\xa0", b"\x80", b"\x93\xa6opaque\xa1x\xa1y"],
    ids=["nil", "array", "list", "text", "map", "opaque"],
)
def test_a_frame_that_unfolds_stays_small(unit: bytes) -> None:
    count = (wire.MAX_FRAME // 4) // len(unit)
    items = b"\xdd" + struct.pack(">I", count) + unit * count
    data = b"\x93\xa6answer\xa1x\x92\xa4list" + items
    tracemalloc.start()
    started = time.monotonic()
    try:
        with pytest.raises(CannotDecode):
            codec.reply(data)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    assert time.monotonic() - started < 20


def test_a_large_tensor_is_no_suspect() -> None:
    data = codec.encode(m.Answer("x", m.TensorValue("uint8", (40_000_000,), bytes(40_000_000))))
    started = time.monotonic()
    assert isinstance(codec.reply(data), m.Answer)
    assert time.monotonic() - started < 2


def test_deep_frames_are_refused() -> None:
    for unit in (b"\x91", b"\x92\xa4list\x91", b"\x81\xa1a"):
        with pytest.raises(CannotDecode):
            codec.reply(b"\x93\xa6answer\xa1x" + unit * 200_000)


def test_the_wire_is_plain_messagepack() -> None:
    assert msgspec.msgpack.decode(codec.encode(m.Ready("2")))[0] == "ready"
