"""`grade watch` in a real process: real saves, what is shown of them, and how it ends."""

from __future__ import annotations

import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from e2e_commands import COMMAND, NAME, REFERENCE, Foster, environment, processes

from grader.authoring.notebook import notebook_from_module

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="counts processes in /proc")

PATIENCE = 60.0
RELU = "    return torch.where(x > 0, x, torch.zeros_like(x))"
LEAKY = "    return torch.where(x > 0, x, 0.01 * x)"
HANGING = "    while True: pass"


class Watch:
    """`grade watch` on `path`, its output in a pipe, block by block."""

    def __init__(self, path: Path, assignment: Path, scratch: Path, *more: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "watch", str(path), "-a", str(assignment), *more],
            env=environment(scratch),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            text=True,
            encoding="utf-8",
        )
        self._blocks: queue.Queue[list[str]] = queue.Queue()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        block: list[str] = []
        for line in self.process.stdout:
            line = line.rstrip("\n")
            if not line and any(said.startswith("Next: ") for said in block):
                self._blocks.put(block)
                block = []
            else:
                block.append(line)

    def block(self) -> list[str]:
        """The next block: its status line first, the next thing to do last."""
        found = self._blocks.get(timeout=PATIENCE)
        assert re.match(r"\[\d\d:\d\d:\d\d · ", found[0]), found
        return found

    def waiting(self) -> int:
        """How many blocks nobody has looked at."""
        return self._blocks.qsize()

    def interrupt(self) -> tuple[int, str]:
        """Ctrl-C: the status, and what was said on standard error."""
        os.killpg(self.process.pid, signal.SIGINT)
        status = self.process.wait(timeout=30)
        assert self.process.stderr is not None
        return status, self.process.stderr.read()


@pytest.fixture
def quick(copy: Path) -> Path:
    """The assignment without solutions, in which a call may take half a second."""
    toml = copy / "assignment.toml"
    text = toml.read_text(encoding="utf-8")
    assert "call_seconds = 5.0" in text
    toml.write_text(text.replace("call_seconds = 5.0", "call_seconds = 0.5"), encoding="utf-8")
    return copy


@pytest.fixture
def begun(copy: Path) -> str:
    """The stub with a leaky relu."""
    stub = (copy / f"{NAME}.py").read_text(encoding="utf-8")
    return stub.replace("    raise NotImplementedError", LEAKY, 1)


@pytest.fixture
def foster() -> Iterator[Foster]:
    with Foster() as found:
        yield found


def test_from_a_leaky_relu_to_all_public_checks(begun, quick, tmp_path, foster):
    file, scratch = tmp_path / "work" / "mine.py", tmp_path / "scratch"
    document = tmp_path / "out.json"
    file.parent.mkdir()
    file.write_text(begun, encoding="utf-8")
    watch = Watch(file, quick, scratch, "--json", str(document))

    first = watch.block()
    assert first[1].startswith("mine.py · XOR by hand")
    assert "  relu            0 / 2   ✗ failed, 1 more after hand-in" in first
    assert "Since the save before" not in first
    assert first[-1].startswith("Next: relu, line 27: Call your function with -100.")
    assert json.loads(document.read_text(encoding="utf-8"))["grade"]["score"] == 0

    file.write_text(begun.replace(LEAKY, RELU), encoding="utf-8")
    block = watch.block()
    said = block.index("Since the save before")
    assert block[said + 1 : said + 3] == ["  relu: 0 -> 2 points", "  gone: relu-leaky in relu"]
    assert block[-1] == "Next: write logistic (handout 7.2)"
    assert json.loads(document.read_text(encoding="utf-8"))["grade"]["score"] == 2

    # A file that does not parse is no end, and the verdict before it is what counts after it.
    file.write_text("def relu(x:\n", encoding="utf-8")
    block = watch.block()
    assert "no points yet: the submission could not be read" in block
    assert any("mine.py, line 1 is no valid Python" in line for line in block)
    assert block[-1] == "Next: mend that and save."

    file.unlink()
    block = watch.block()
    assert block[1] == "mine.py is gone"
    assert block[2].startswith("before that: public checks: 2 of 25 points")

    # Back, by renaming, and one that never comes back to us.
    other = file.with_name("mine.new")
    other.write_text(begun.replace(LEAKY, HANGING), encoding="utf-8")
    other.replace(file)
    block = watch.block()
    assert "  relu: 2 -> 0 points" in block
    assert "relu, line 27: it did not finish in time" in block

    for number in range(30):
        file.write_text(begun + f"# {number}\n", encoding="utf-8")
        time.sleep(0.01)
    file.write_text(REFERENCE.read_text(encoding="utf-8"), encoding="utf-8")
    blocks = [watch.block()]
    while "hand it in." not in blocks[-1][-2] + blocks[-1][-1]:
        blocks.append(watch.block())
    assert len(blocks) < 20, "saves while it grades are one more run, not thirty"
    assert "public checks: 14 of 25 points; 11 are decided after hand-in" in blocks[-1]
    assert " ".join(line.strip() for line in blocks[-1][-2:]) == (
        "Next: hand it in. All public checks pass; 11 of 25 points are decided after hand-in, "
        "by checks on other inputs."
    )
    time.sleep(0.5)
    assert watch.waiting() == 0

    assert watch.interrupt() == (130, "\ngrade: stopped\n")
    assert foster.left(seconds=10) == {}
    assert list(scratch.iterdir()) == []


def test_a_notebook_in_a_folder_until_it_is_killed(begun, copy, tmp_path, foster):
    folder = tmp_path / "work"
    folder.mkdir()
    file = folder / "mine.ipynb"
    file.write_text(json.dumps(notebook_from_module(begun)), encoding="utf-8")
    watch = Watch(folder, copy, tmp_path / "scratch", "-e", "relu", "--hints", "0")
    block = watch.block()
    assert block[1].startswith("mine.ipynb · ")
    assert "relu, cell 2, line 9: a part of the negative values still comes through" in block
    assert not any("-100" in line for line in block), "no hint was wanted"
    # As Jupyter saves: beside it, then renamed.
    other = folder / ".~mine.ipynb"
    other.write_text(json.dumps(notebook_from_module(begun.replace(LEAKY, RELU))), encoding="utf-8")
    other.replace(file)
    block = watch.block()
    assert "  relu: 0 -> 2 points" in block
    assert block[-1] == "Next: grade the whole file"
    file.write_text(json.dumps(notebook_from_module(begun.replace(LEAKY, HANGING))), "utf-8")
    wait_for_a_busy_worker(watch.process.pid)
    watch.process.kill()
    assert watch.process.wait(timeout=30) == -signal.SIGKILL
    assert foster.left(seconds=10) == {}


def wait_for_a_busy_worker(pid: int) -> None:
    """Until one that a Python of ours forked has computed for half a second: it hangs."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        running = processes(pid)
        for found in running.values():
            parent = running.get(found.parent)
            if parent is not None and "python" in parent.name and found.seconds > 0.5:
                return
        time.sleep(0.1)
    raise AssertionError("no worker got busy")


def test_on_a_terminal_it_is_drawn_in_place_until_ctrl_c(begun, copy, tmp_path, foster):
    import fcntl
    import struct
    import termios

    file = tmp_path / "mine.py"
    file.write_text(begun, encoding="utf-8")
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 90, 0, 0))
    process = subprocess.Popen(
        [*COMMAND, "watch", str(file), "-a", str(copy)],
        env=environment(tmp_path / "scratch", TERM="xterm-256color"),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    first = screen(ours, "Next")
    assert "starting" in first
    file.write_text(begun.replace(LEAKY, RELU), encoding="utf-8")
    second = screen(ours, "Next")
    assert "grading ..." in second
    drawn = second.rpartition("\x1b[2J")[2]
    assert drawn.startswith("\x1b[H"), "the window is emptied and written from its first line"
    assert "relu: 0 -> 2 points" in drawn
    assert "\x1b[32m" in drawn, "what was gained is green"
    assert drawn.count("\n") < 24
    # A larger window is filled without a save.
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 100, 0, 0))
    assert "relu: 0 -> 2 points" in screen(ours, "Next")
    file.write_text(begun.replace(LEAKY, HANGING), encoding="utf-8")
    wait_for_a_busy_worker(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    said = screen(ours, "stopped")
    assert "grading ..." in said
    assert "grade: stopped" in said
    assert "Traceback" not in said
    assert process.wait(timeout=30) == 130
    assert foster.left(seconds=10) == {}
    os.close(ours)


def screen(terminal: int, last: str) -> str:
    """What arrives until `last` has."""
    found = ""
    end = time.monotonic() + PATIENCE
    while last not in found and time.monotonic() < end:
        found += os.read(terminal, 65_536).decode("utf-8", "replace")
    return found


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nothing.py", "-a", NAME), "grade: there is no file nothing.py"),
        ((".", "-a", "xor_by_han"), "grade: there is no assignment called 'xor_by_han'. Did you"),
        ((".", "-a", NAME, "-e", "rel"), "grade: xor_by_hand has no exercise called 'rel'. Did"),
        ((".", "-a", NAME, "--json", "."), "grade: . is a folder. Name a file"),
    ],
)
def test_what_cannot_be_watched_is_said_at_once(arguments, said, tmp_path):
    done = subprocess.run(
        [*COMMAND, "watch", *arguments],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(said)
    assert done.stdout == ""
