"""Ctrl-C and a kill at any moment leave no process, no temporary folder, no half-written file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from e2e_commands import COMMAND, NAME, REFERENCE, ROOT, Foster, environment, processes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="counts processes in /proc")

HANGING = """
import torch

def relu(x):
    while True:
        pass
"""


@pytest.fixture
def hanging(tmp_path: Path) -> Path:
    (tmp_path / "hanging.py").write_text(HANGING, encoding="utf-8")
    return tmp_path / "hanging.py"


def started(file: Path, folder: Path, *more: str) -> subprocess.Popen[bytes]:
    """`grade check` on `file` in a process group of its own, as a shell starts it."""
    return subprocess.Popen(
        [*COMMAND, "check", str(file), "-a", NAME, "--json", str(folder / "out.json"), *more],
        cwd=folder,
        env=environment(folder / "scratch"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def wait_for_a_busy_worker(command: subprocess.Popen[bytes]) -> None:
    """Until a worker, forked by a process of ours, has computed for half a second: it hangs."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        running = processes(command.pid)
        parents = {process.parent for process in running.values()}
        for pid, process in running.items():
            forked = process.parent != command.pid and process.parent in running
            by_python = forked and "python" in running[process.parent].name
            if by_python and pid not in parents and process.seconds > 0.5:
                return
        time.sleep(0.1)
    raise AssertionError("no worker got busy")


def assert_nothing_left(foster: Foster, folder: Path) -> None:
    assert foster.left(seconds=10) == {}
    assert list((folder / "scratch").iterdir()) == []


@pytest.mark.parametrize("moment", [0.1, 0.3, 0.7, 1.0, 1.6])
def test_ctrl_c_while_it_starts(moment, tmp_path):
    with Foster() as foster:
        command = started(REFERENCE, tmp_path)
        time.sleep(moment)
        os.killpg(command.pid, signal.SIGINT)
        out, err = command.communicate(timeout=30)
        assert_nothing_left(foster, tmp_path)
    if command.returncode == 0:  # it was done before
        assert (tmp_path / "out.json").is_file()
        return
    assert out == b""
    if command.returncode == -signal.SIGINT:  # before its first line, while Python imports it
        assert ", in main" not in err.decode()
    else:
        assert "Traceback" not in err.decode()
        assert command.returncode == 130
    assert [path.name for path in tmp_path.iterdir()] == ["scratch"]


@pytest.mark.parametrize("level", ["auto", "process"])
def test_ctrl_c_while_a_submission_hangs(level, hanging, tmp_path):
    with Foster() as foster:
        command = started(hanging, tmp_path, "--isolation", level)
        wait_for_a_busy_worker(command)
        sent = time.monotonic()
        os.killpg(command.pid, signal.SIGINT)
        out, err = command.communicate(timeout=30)
        assert time.monotonic() - sent < 5
        assert_nothing_left(foster, tmp_path)
    assert (command.returncode, out) == (130, b"")
    assert err.decode().split("\n") == ["", "grade: stopped", ""]
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize("level", ["auto", "process"])
def test_a_killed_command_takes_its_workers_along(level, hanging, tmp_path):
    with Foster() as foster:
        command = started(hanging, tmp_path, "--isolation", level)
        wait_for_a_busy_worker(command)
        command.kill()
        command.communicate(timeout=30)
        assert foster.left(seconds=10) == {}
    assert not (tmp_path / "out.json").exists()


def test_a_report_that_was_there_survives_an_interrupt(hanging, tmp_path):
    (tmp_path / "out.json").write_text("{}", encoding="utf-8")
    with Foster() as foster:
        command = started(hanging, tmp_path)
        wait_for_a_busy_worker(command)
        os.killpg(command.pid, signal.SIGTERM)
        command.communicate(timeout=30)
        assert foster.left(seconds=10) == {}
    assert (tmp_path / "out.json").read_text(encoding="utf-8") == "{}"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hanging.py", "out.json", "scratch"]


def test_the_count_sees_what_is_left():
    """The tests above would see a process that outlives its parent."""
    child = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {SLEEP!r}])"
    with Foster() as foster:
        subprocess.run([sys.executable, "-S", "-c", child], check=True, timeout=30, cwd=ROOT)
        assert len(foster.left()) == 1


SLEEP = "import time; time.sleep(60)"
