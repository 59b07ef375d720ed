"""The warm process: what it starts ends, what it knows is nothing, what it loses comes back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import msgspec
import pytest
import torch
from student_workers import ROOT, descendants, open_descriptors, running

from grader.errors import GraderFailed
from grader.student import zygote_process
from grader.student.jail import Level, Limits, plan, probe
from grader.student.launch import WorkerProcess
from grader.student.worker import control
from grader.student.zygote import Zygote

DOUBLE = "def double(x):\n    return x * 2\n"


@pytest.fixture
def own(level: Level, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Zygote:
    """A zygote of the test's own, not yet started, whose folders are made in `tmp_path`."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return Zygote(level, Limits(), [ROOT / "solutions"], warm=False)


def test_a_cold_worker_computes_as_a_warm_one(own: Zygote) -> None:
    source = "import torch\ndef kernels():\n    return torch.backends.cpu.get_cpu_capability()\n"
    with own, running(own.start_worker, source) as run:
        assert run.returned("kernels") == torch.backends.cpu.get_cpu_capability()


def test_two_workers_at_once(zygote: Zygote) -> None:
    results: dict[int, torch.Tensor] = {}
    both = threading.Barrier(2, timeout=20)

    def grade(number: int) -> None:
        source = f"def scaled(x):\n    return x * {number}\n"
        with running(zygote.start_worker, source) as run:
            both.wait()
            results[number] = run.returned("scaled", torch.ones(1))
            both.wait()

    threads = [threading.Thread(target=grade, args=(number,)) for number in (2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {number: float(value) for number, value in results.items()} == {2: 2.0, 3: 3.0}


def test_nothing_is_left_after_close(own: Zygote, tmp_path: Path) -> None:
    before = open_descriptors(), descendants(os.getpid())
    source = DOUBLE + "\nopen('left.txt', 'w').write('x')\n"
    with own, running(own.start_worker, source) as run:
        run.returned("double", torch.ones(1))
        abandoned = own.start_worker()
        assert own.pid in descendants(os.getpid())
        assert len(descendants(os.getpid())) >= len(before[1]) + 3
    assert (open_descriptors(), descendants(os.getpid())) == before
    assert list(tmp_path.iterdir()) == []
    abandoned.close()  # a second time, which does nothing
    with pytest.raises(GraderFailed):
        own.start_worker()


def test_sixty_workers_leave_nothing_and_nothing_grows(zygote: Zygote) -> None:
    def counts() -> tuple[int, dict[int, str]]:
        return open_descriptors(), descendants(os.getpid())

    def one() -> None:
        with running(zygote.start_worker, DOUBLE) as run:
            run.returned("double", torch.ones(1))

    def memory() -> int:
        statuses = [Path(f"/proc/{pid}/statm").read_text() for pid in descendants(os.getpid())]
        return sum(int(status.split()[0]) for status in statuses) * os.sysconf("SC_PAGE_SIZE")

    for _ in range(3):
        one()
    before, size = counts(), memory()
    for _ in range(60):
        one()
    assert counts() == before
    assert memory() - size < 1 << 20


def test_what_a_worker_forks_ends_with_it(zygote: Zygote) -> None:
    if zygote.level != "process":
        pytest.skip("a worker cannot fork at this level")
    source = """
import os, time

def scatter():
    reader, writer = os.pipe()
    for leave in (False, True):
        if os.fork() == 0:
            if leave:
                os.setsid()
            pid = os.fork()
            os.write(writer, b"%d " % os.getpid())
            time.sleep(600)
    time.sleep(0.3)
    return [int(pid) for pid in os.read(reader, 1000).split()]
"""
    with running(zygote.start_worker, source) as run:
        pids = run.returned("scatter")
        assert len(pids) == 4
        assert set(pids) <= set(descendants(os.getpid()))
    assert set(pids).isdisjoint(descendants(os.getpid()))
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_worker_works_in_a_folder_of_its_own(zygote: Zygote) -> None:
    if zygote.level == "confined":
        pytest.skip("nothing can be written at this level")
    source = """
import os, tempfile
found = os.listdir(".")
with tempfile.NamedTemporaryFile(delete=False) as file:
    file.write(b"x")
open("left.txt", "w").write("x")

def seen():
    return [found, os.getcwd(), os.environ["HOME"], tempfile.gettempdir()]
"""
    folders = []
    for _ in range(2):
        with running(zygote.start_worker, source) as run:
            assert run.loaded.notes == []
            found, *places = run.returned("seen")
            assert found == []
            assert len(set(places)) == 1
            folders.append(places[0])
    if zygote.level == "process":
        assert folders[0] != folders[1]
        assert not any(map(os.path.exists, folders))


def test_a_zygote_that_died_is_replaced(own: Zygote) -> None:
    with own:
        with running(own.start_worker, DOUBLE) as run:
            run.returned("double", torch.ones(1))
            first = own.pid
            assert first is not None
            for pid in (*descendants(first), first):
                os.kill(pid, signal.SIGKILL)
            with pytest.raises(GraderFailed):  # its workers went with it: no doing of a student's
                run.raised("double", torch.ones(1))
            assert torch.equal(run.returned("double", torch.ones(1)), torch.full((1,), 2.0))
            assert own.pid != first
        assert own.pid is not None


def test_a_zygote_that_stands_still_is_replaced(
    own: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    with own:
        with running(own.start_worker, DOUBLE) as run:
            run.returned("double", torch.ones(1))
        first = own.pid
        assert first is not None
        stopped = [*descendants(first), first]
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        monkeypatch.setattr(zygote_process, "REPLY_SECONDS", 0.5)
        monkeypatch.setattr(zygote_process, "END_SECONDS", 0.2)
        worker = own.start_worker()
        assert own.pid != first
        assert set(stopped).isdisjoint(descendants(os.getpid()))
        worker.close()


def test_a_zygote_that_cannot_start_says_why(
    own: Zygote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = open_descriptors(), descendants(os.getpid())
    monkeypatch.setattr(zygote_process, "WORKER", tmp_path / "nowhere.py")
    with own:
        for _ in range(2):
            with pytest.raises(GraderFailed, match=r"did not start: .*nowhere\.py") as failed:
                own.start_worker()
            assert "grade doctor" in failed.value.hint
    assert (open_descriptors(), descendants(os.getpid())) == before


def test_no_worker_without_every_layer(own: Zygote) -> None:
    """What is asked of a worker fails in it, so it ends before a student's code is read."""
    if own.level == "process":
        pytest.skip("this level has no layer to fail")
    own._plan["seccomp"] = bytes(8)
    with own, pytest.raises(GraderFailed, match="no worker came up: seccomp"):
        running(own.start_worker, DOUBLE).__enter__()


def test_the_trusted_side_dies_and_takes_all_along(level: Level, tmp_path: Path) -> None:
    code = f"""if True:
        import time
        from grader.student.jail import Limits
        from grader.student.zygote import Zygote
        if __name__ == "__main__":
            zygote = Zygote({level!r}, Limits(), warm=False).__enter__()
            zygote.start_worker()
            print(zygote.pid, flush=True)
            time.sleep(600)
    """
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    owner = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True, env=environment
    )
    assert owner.stdout is not None
    assert owner.stdout.readline()
    left = descendants(owner.pid)
    assert len(left) >= 2
    owner.kill()
    owner.wait()
    owner.stdout.close()
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in left):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)
    assert list(tmp_path.iterdir()) == []


def test_the_zygote_knows_nothing(level: Level, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADE_SOLUTIONS", str(ROOT / "solutions"))
    monkeypatch.setenv("CANVAS_TOKEN", "s3cret")
    source = """
import os, sys, gc

def known():
    texts = [item for item in gc.get_objects() if type(item) is dict]
    hidden = [key for item in texts for key in list(item) if key == "CANVAS_TOKEN"]
    return [sorted(os.environ), sys.argv, len(hidden), sys.path]
"""
    with (
        Zygote(level, Limits(), [ROOT / "solutions"], warm=False) as zygote,
        running(zygote.start_worker, source) as run,
    ):
        names, argv, hidden, _ = run.returned("known")
    assert not {"GRADE_SOLUTIONS", "CANVAS_TOKEN"} & set(names)
    assert len(argv) == 3
    assert argv[1] == "zygote"
    assert hidden == 0


def test_a_warm_worker_has_imported_all_that_honest_work_needs(zygote: Zygote) -> None:
    """What it imports itself, every worker would import again."""
    answer = (ROOT / "solutions/xor_by_hand/reference.py").read_text(encoding="utf-8")
    source = (
        "import sys\nbefore = set(sys.modules)\n"
        + answer
        + """
import torch.nn.functional as F
import numpy as np, math, random

def imported():
    params = init_params(3)
    X, Y = torch.rand(4, 2), torch.ones(4, 1)
    train(params, X, Y, 1, 0.1)
    optimizer = torch.optim.SGD(params, lr=0.1)
    optimizer.zero_grad()
    F.binary_cross_entropy(forward(X, *params), Y).backward()
    optimizer.step()
    torch.autograd.grad(forward(X, *params).sum(), params)
    return sorted(set(sys.modules) - before)
"""
    )
    with running(zygote.start_worker, source) as run:
        record = run.student.run("imported", (), banned=["relu"], graph=True, trace=True)
        assert record.raised is None, record.raised
        assert record.returned == []
        assert run.loaded.notes == []


def test_a_plot_library_is_not_imported_ahead(zygote: Zygote) -> None:
    source = "import sys\n\ndef found():\n    return 'matplotlib' in sys.modules\n"
    with running(zygote.start_worker, source) as run:
        assert run.returned("found") is False


def test_what_a_submission_draws_as_it_loads_is_the_same_everywhere(
    zygote: Zygote, own: Zygote
) -> None:
    source = """
import random
import numpy as np
import torch
drawn = [torch.rand(3), random.random(), float(np.random.rand()), torch.randn(2)]

def draw():
    return drawn
"""
    found = []
    with own:
        for start in (zygote.start_worker, zygote.start_worker, own.start_worker, WorkerProcess):
            with running(start, source) as run:
                found.append(repr(run.returned("draw")))
    assert len(found) == 4
    assert len(set(found)) == 1


@pytest.mark.soak
def test_thousands_of_workers(level: Level) -> None:
    script = ROOT / "benchmarks" / "soak_workers.py"
    done = subprocess.run(
        [sys.executable, str(script), "--level", level], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_message_of_the_channel_fits_its_packet(level: Level) -> None:
    """A socket's buffer bounds it."""
    message = control.Spawn(plan(level, Limits(), probe()).as_message(), "/tmp/" + "x" * 100)
    assert len(msgspec.msgpack.encode(message)) < control.MAX_PACKET // 4
