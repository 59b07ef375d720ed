"""`grade check` as a person sees it: screens, hints, snippets, colours, statuses."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import re
import select
import shlex
import shutil
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest
import torch
from e2e_commands import (
    COMMAND,
    NAME,
    REFERENCE,
    ROOT,
    WRONG,
    environment,
    grade,
    read,
)

HINTS = ("Call your function with -100", "How much of a negative input", "Look for a small factor")


def test_full_marks(of_reference):
    assert (of_reference.done.status, of_reference.done.err) == (0, "")
    assert "25 of 25 points" in of_reference.done.out
    assert "Next: nothing has to be mended" in of_reference.done.out


def test_points_lost(of_wrong):
    done = of_wrong.done
    assert (done.status, done.err) == (1, "")
    lines = done.out.splitlines()
    assert "20 of 25 points" in lines
    (next_thing,) = [number for number, line in enumerate(lines) if line.startswith("Next: ")]
    assert next_thing < 24
    assert "relu" in lines[next_thing]
    assert "sgd, lines 28-31: the gradient is not reset" in done.out
    assert "forward was judged with the library's relu" in " ".join(done.out.split())


def test_nothing_is_left_behind(of_reference, of_wrong):
    for run in (of_reference, of_wrong):
        assert list(run.scratch.iterdir()) == []


def test_it_keeps_to_the_width_of_the_window(of_wrong):
    snippets = [line for line in of_wrong.done.out.splitlines() if line.startswith("    ")]
    prose = [line for line in of_wrong.done.out.splitlines() if line not in snippets]
    assert max(map(len, prose)) <= 60
    assert len([line for line in prose if len(line) > 45]) > 10


def test_no_colour_off_a_terminal(of_wrong):
    assert "\x1b" not in of_wrong.done.out


def test_python_dash_m_and_the_script_are_the_same():
    script = Path(sys.executable).with_name("grade")
    assert script.is_file(), "the package is not installed here: pip install -e ."
    for arguments in (["--version"], ["check", "gone.py", "-a", NAME]):
        by_script = subprocess.run(
            [script, *arguments], capture_output=True, text=True, env=environment(), timeout=60
        )
        by_module = grade(*arguments)
        assert (by_script.returncode, by_script.stdout, by_script.stderr) == (
            by_module.status,
            by_module.out,
            by_module.err,
        )


def test_help_imports_no_torch():
    for arguments in (["--help"], ["check", "--help"], ["start", "--help"]):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "grader", *arguments],
            capture_output=True, text=True, env=environment(), timeout=60,
        )  # fmt: skip
        assert done.returncode == 0
        assert "Usage: " in done.stdout
        imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
        assert "grader.cli" in imported
        heavy = {"torch", "numpy", "_pytest", "rich", "nbformat"}
        assert heavy & {name.partition(".")[0] for name in imported} == set()


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_hints_are_given_as_far_as_asked(level):
    done = grade("check", WRONG, "-a", NAME, "-e", "relu", "--hints", str(level))
    text = " ".join(done.out.split())
    assert done.status == 1
    assert "0 of 3 points" in done.out
    # The first hint is the next thing to do as well.
    shown = [hint in text for hint in HINTS]
    assert shown[1:] == [level >= 2, level >= 3]
    assert shown[0] == (level >= 1)


def test_only_what_was_asked_for_is_judged(tmp_path):
    target = tmp_path / "out.json"
    arguments = ("-e", "relu", "-e", "sgd", "--json", target)
    done = grade("check", REFERENCE, "-a", NAME, *arguments)
    document = read(target)
    assert done.status == 0
    assert [entry["name"] for entry in document["grade"]["exercises"]] == ["relu", "sgd"]
    assert (document["grade"]["score"], document["grade"]["max_score"]) == (8, 8)
    assert document["grade"]["complete"] is False
    assert "full marks" not in done.out


def test_another_seed_draws_other_inputs(of_wrong, tmp_path):
    target = tmp_path / "out.json"
    done = grade("check", WRONG, "-a", NAME, "-e", "sgd", "--seed", "7", "--json", target,
                 "--show-input")  # fmt: skip
    document = read(target)
    assert document["grade"]["seed"] == 7
    assert document["grade"]["exercises"][0]["score"] == 3
    sgd = next(e for e in of_wrong.document["grade"]["exercises"] if e["name"] == "sgd")
    assert document["grade"]["exercises"][0]["findings"][0]["bug"] == sgd["findings"][0]["bug"]
    assert snippets(done.out)["sgd"] != snippets(of_wrong.done.out)["sgd"]


def test_in_process_gives_the_same_verdict(of_wrong, tmp_path):
    target = tmp_path / "out.json"
    done = grade("check", WRONG, "-a", NAME, "--in-process", "--json", target)
    document = read(target)["grade"]
    wanted = of_wrong.document["grade"]
    assert done.status == 1
    assert document["isolation"] == "in-process"
    assert document["exercises"] == wanted["exercises"]


def snippets(screen: str) -> dict[str, str]:
    """What stands below "To see it again:", by the function that it calls."""
    found = {}
    for block in re.findall(r"To see it again:\n((?: {4}.*\n)+)", screen):
        source = "\n".join(line[4:] for line in block.splitlines())
        found[re.search(r"^from \w+ import (\w+)$", source, re.MULTILINE)[1]] = source
    return found


def replayed(source: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the snippet prints, the submission's folder being the working one."""
    monkeypatch.syspath_prepend(str(folder))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, "snippet", "exec"), {"__name__": "__main__"})
    return printed.getvalue()


def test_a_snippet_replays_the_failing_call(of_wrong, monkeypatch):
    source = snippets(of_wrong.done.out)["relu"]
    printed = replayed(source, WRONG.parent, monkeypatch)
    names: dict[str, object] = {}
    exec(source.partition("print(")[0], names)
    x = names["x"]
    assert isinstance(x, torch.Tensor)
    expected = torch.where(x > 0, x, 0.05 * x)
    assert printed == f"{expected}\n"
    sys.modules.pop(WRONG.stem, None)


def test_a_snippet_of_an_update_shows_what_became_of_the_parameters(of_wrong, monkeypatch):
    source = snippets(of_wrong.done.out)["sgd"]
    printed = replayed(source, WRONG.parent, monkeypatch)
    names: dict[str, list[torch.Tensor]] = {}
    exec(source.replace(f"from {WRONG.stem} import sgd", "").partition("sgd(")[0], names)
    # The step is right, and the old gradient is still there: the finding, seen again.
    expected = ""
    for p in names["params"]:
        moved = (p.detach() - 0.3 * p.grad).requires_grad_()
        expected += f"{moved} {p.grad}\n"
    assert printed == expected
    sys.modules.pop(WRONG.stem, None)


def test_a_snippet_of_an_error_raises_it_again(tmp_path, monkeypatch):
    file = tmp_path / "raising.py"
    file.write_text("import math\n\ndef relu(x):\n    return math.exp(x)\n", encoding="utf-8")
    done = grade("check", file, "-a", NAME, "-e", "relu", "--show-input")
    source = snippets(done.out)["relu"]
    with pytest.raises((ValueError, RuntimeError), match=r"only one element|converted"):
        replayed(source, tmp_path, monkeypatch)


def on_a_terminal(folder: Path, **more: str) -> str:
    """What `grade check` writes to a terminal of its own."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "check", str(WRONG), "-a", NAME, "-e", "relu"],
        stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder,
        env=environment(folder / "scratch", TERM="xterm-256color", **more),
    )  # fmt: skip
    os.close(theirs)
    pieces = []
    end = time.monotonic() + 60
    while time.monotonic() < end and select.select([ours], [], [], 60)[0]:
        try:
            piece = os.read(ours, 65_536)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        pieces.append(piece)
    os.close(ours)
    assert process.wait(timeout=30) == 1
    return b"".join(pieces).decode()


def test_colour_on_a_terminal_unless_it_is_not_wanted(tmp_path):
    coloured = on_a_terminal(tmp_path)
    assert "\x1b[" in coloured
    plain = on_a_terminal(tmp_path, NO_COLOR="1")
    colours = re.findall(r"\x1b\[(?:3[0-7]|9[0-7]|38|4[0-7])[;m]", plain)
    assert colours == []
    without = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert "✗ failed" in without


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_the_first_screen_shows_the_score_and_the_next_thing(tmp_path):
    name = f"grade-{uuid.uuid4().hex[:8]}"
    tmux = ["tmux", "-L", name, "-f", "/dev/null"]
    # A long report: what scrolled off the top is above the first screen no more.
    many = tmp_path / "many.py"
    many.write_text(WRONG.read_text(encoding="utf-8"), encoding="utf-8")
    command = shlex.join([*COMMAND, "check", str(many), "-a", NAME])
    subprocess.run(
        [*tmux, "new-session", "-d", "-x", "80", "-y", "24", f"{command}; sleep 60"],
        check=True, env=environment(tmp_path / "scratch", TERM="xterm-256color"), timeout=30,
    )  # fmt: skip
    try:
        end = time.monotonic() + 90
        while time.monotonic() < end:
            whole = subprocess.run(
                [*tmux, "capture-pane", "-p", "-S", "-500"],
                capture_output=True, text=True, timeout=30, check=True,
            ).stdout  # fmt: skip
            if "isolation" in whole:
                break
            time.sleep(0.3)
    finally:
        subprocess.run([*tmux, "kill-server"], check=False, timeout=30)
    lines = whole.splitlines()
    first = lines[:24]
    assert "20 of 25 points" in first
    assert any(line.startswith("Next: ") for line in first)
    assert max(map(len, lines)) <= 80


def test_doctor(tmp_path):
    done = grade("doctor", cwd=tmp_path)
    assert (done.status, done.err) == (0, "")
    for words in (f"torch        {torch.__version__}", "isolation    ", NAME, "answers"):
        assert words in done.out
    assert str(ROOT) not in done.out


def test_a_report_on_standard_output_can_be_cut_short():
    """`grade ... | head -1` is no fault of the grader's."""
    command = f"{shlex.join([*COMMAND, 'explain'])} | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, env=environment(), timeout=60
    )
    assert "Traceback" not in done.stderr


def test_document_on_status_one_is_whole_json(of_wrong):
    assert json.loads(json.dumps(of_wrong.document)) == of_wrong.document
    assert of_wrong.document["exitcode"] == 1
