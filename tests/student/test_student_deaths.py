"""A call that never ends, ends its process or floods it costs itself and nothing else."""

from __future__ import annotations

import time

import pytest
import torch
from student_workers import FILE, line_of, running

from grader.student.zygote import Zygote

HONEST = """
calls = []

def honest(x):
    calls.append(1)
    return x * 2

def calls_so_far():
    return len(calls)
"""


def assert_still_answers(run: object, zygote: Zygote) -> None:
    """The next call is answered, by a worker that knows nothing of the last."""
    assert run.returned("calls_so_far") == 0  # type: ignore[attr-defined]
    doubled = run.returned("honest", torch.ones(2))  # type: ignore[attr-defined]
    assert torch.equal(doubled, torch.full((2,), 2.0))


def test_a_loop_in_python_is_stopped_at_its_line(zygote: Zygote) -> None:
    source = HONEST + "\ndef hang():\n    n = 0\n    while True:\n        n += 1\n"
    with running(zygote.start_worker, source, call_seconds=0.4) as run:
        started = time.monotonic()
        raised = run.raised("hang")
        assert time.monotonic() - started < 2.0
        assert raised.type == "TimeLimit"
        assert raised.frames[-1].function == "hang"
        assert raised.frames[-1].line in (line_of(source, "while"), line_of(source, "n += 1"))
        assert run.returned("calls_so_far") == 0


def test_a_loop_in_c_is_ended_and_its_line_reported(zygote: Zygote) -> None:
    source = HONEST + "\ndef inner():\n    return sum(range(10**12))\n\ndef hang():\n    inner()\n"
    with running(zygote.start_worker, source, call_seconds=0.3) as run:
        run.returned("honest", torch.ones(1))
        started = time.monotonic()
        raised = run.raised("hang")
        assert time.monotonic() - started < 4.0
        assert raised.type == "TimeLimit"
        where = [(frame.filename, frame.line, frame.function) for frame in raised.frames]
        assert where == [
            (FILE, line_of(source, "    inner()"), "hang"),
            (FILE, line_of(source, "sum(range"), "inner"),
        ]
        assert_still_answers(run, zygote)


def test_an_exception_cannot_be_swallowed_for_ever(zygote: Zygote) -> None:
    source = (
        HONEST
        + """
def hang():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
"""
    )
    with running(zygote.start_worker, source, call_seconds=0.3) as run:
        run.returned("honest", torch.ones(1))
        assert run.raised("hang").type == "TimeLimit"
        assert_still_answers(run, zygote)


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        ("os._exit(0)", "status 0"),
        ("os._exit(3)", "status 3"),
        ("ctypes.string_at(1)", "signal 11"),
    ],
)
def test_a_call_that_ends_its_process(zygote: Zygote, ending: str, words: str) -> None:
    source = f"import os, ctypes\n{HONEST}\ndef end():\n    {ending}\n"
    with running(zygote.start_worker, source) as run:
        run.returned("honest", torch.ones(1))
        raised = run.raised("end")
        assert raised.type == "Died"
        assert words in raised.message
        assert_still_answers(run, zygote)


def test_a_statement_that_ends_its_process_is_skipped(zygote: Zygote) -> None:
    source = f"import os\nos._exit(0)\n{HONEST}\nraise SystemExit\nafter = 1\n"
    with running(zygote.start_worker, source) as run:
        died, exited = run.loaded.notes
        assert (died.kind, died.filename, died.line) == ("load_died", FILE, 2)
        assert (exited.kind, exited.line) == ("load_error", line_of(source, "raise SystemExit"))
        assert {"honest", "calls_so_far"} <= set(run.loaded.functions)
        assert_still_answers(run, zygote)


def test_a_statement_that_never_ends_is_skipped(zygote: Zygote) -> None:
    source = f"sum(range(10**12))\n{HONEST}"
    limits = {"statement_seconds": 0.3, "total_seconds": 0.5}
    with running(zygote.start_worker, source, **limits) as run:
        assert [(note.kind, note.line) for note in run.loaded.notes] == [("load_died", 1)]
        assert_still_answers(run, zygote)


def test_a_flood_of_output_is_cut(zygote: Zygote) -> None:
    source = (
        HONEST
        + """
import os, sys

def flood():
    for stream in (sys.stdout, sys.stderr):
        for _ in range(40):
            print("x" * 100_000, file=stream)
    for descriptor in (1, 2):
        for _ in range(100):
            os.write(descriptor, b"y" * 100_000)
    return 5
"""
    )
    with running(zygote.start_worker, source, output_limit=50_000) as run:
        record = run.student.run("flood", ())
        assert record.returned == 5
        assert (len(record.stdout), len(record.stderr)) == (50_000, 50_000)
        assert torch.equal(run.returned("honest", torch.ones(1)), torch.full((1,), 2.0))


def test_a_huge_answer_is_refused(zygote: Zygote) -> None:
    source = HONEST + "\nimport torch\n\ndef huge():\n    return torch.zeros(20_000_000)\n"
    with running(zygote.start_worker, source) as run:
        assert run.raised("huge").type == "AnswerTooLarge"
        assert torch.equal(run.returned("honest", torch.ones(1)), torch.full((1,), 2.0))


WIRE = """
import os, socket

def sockets():
    for descriptor in range(3, 64):
        try:
            os.fstat(descriptor)
            yield socket.socket(fileno=os.dup(descriptor))
        except OSError:
            pass

def announce_gigabytes():
    for wire in sockets():
        wire.send(b"\\xff" * 100)

def garbage():
    for wire in sockets():
        wire.send(b"\\0\\0\\0\\x05hello")

def close_everything():
    os.closerange(0, 64)
"""


@pytest.mark.parametrize(
    ("attack", "kind"),
    [
        ("announce_gigabytes", "AnswerTooLarge"),
        ("garbage", "Garbled"),
        ("close_everything", "Died"),
    ],
)
def test_a_broken_wire(zygote: Zygote, attack: str, kind: str) -> None:
    with running(zygote.start_worker, WIRE + HONEST) as run:
        run.returned("honest", torch.ones(1))
        assert run.raised(attack).type == kind
        assert_still_answers(run, zygote)


def test_too_much_memory_is_an_ordinary_error(zygote: Zygote) -> None:
    source = HONEST + "\ndef hoard():\n    return len(bytearray(3 << 30))\n"
    with running(zygote.start_worker, source) as run:
        assert run.raised("hoard").type == "MemoryError"
        assert torch.equal(run.returned("honest", torch.ones(1)), torch.full((1,), 2.0))


IN_THE_PIPE = """
import os, stat, threading, time

def pipe():
    for number in range(3, 64):
        try:
            if stat.S_ISFIFO(os.fstat(number).st_mode):
                return number
        except OSError:
            pass

def write():
    while True:
        os.write(pipe(), WORDS)
        time.sleep(PAUSE)

threading.Thread(target=write, daemon=True).start()

def hang():
    return sum(range(10**12))
"""


@pytest.mark.parametrize(
    ("words", "pause"), [(b"x", 0.02), (b'\n  File "answer.py", line 999 in evil\n' * 99, 0.0)]
)
def test_words_without_end_are_not_listened_to(zygote: Zygote, words: bytes, pause: float) -> None:
    source = f"WORDS, PAUSE = {words!r}, {pause}\n" + IN_THE_PIPE + HONEST
    with running(zygote.start_worker, source, call_seconds=0.2) as run:
        started = time.monotonic()
        raised = run.raised("hang")
        assert time.monotonic() - started < 5.0
        assert raised.type == "TimeLimit"
        assert all(frame.function != "evil" for frame in raised.frames)
        assert_still_answers(run, zygote)


def test_of_a_deep_recursion_the_innermost_line_is_reported(zygote: Zygote) -> None:
    source = "def hang(n=60):\n    return hang(n - 1) if n else sum(range(10**12))\n"
    source = source.replace(" if n else", "\\\n        if n else\\\n       ")
    with running(zygote.start_worker, source, call_seconds=0.2) as run:
        frames = run.raised("hang").frames
        assert len(frames) == 30
        assert frames[-1].line == line_of(source, "sum(range")


@pytest.mark.parametrize(
    "line",
    [
        "print('\\ud800', file=sys.stderr)",
        "warnings.warn('\\ud800')",
        "raise ValueError('\\ud800')",
        "nested = torch.nested.as_nested_tensor([torch.ones(2)]); raise ValueError('?')",
    ],
)
def test_what_is_hard_to_describe_is_no_death(zygote: Zygote, line: str) -> None:
    source = f"import sys, torch, warnings\n{HONEST}\ndef odd():\n    {line}\n"
    with running(zygote.start_worker, source) as run:
        record = run.student.run("odd", [])
        assert (record.raised.type if record.raised else "") in ("", "ValueError")
        said = record.stderr + "".join(warned.message for warned in record.warnings)
        assert (record.raised.message if record.raised else said).strip() == "?"
