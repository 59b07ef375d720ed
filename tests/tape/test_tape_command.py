"""`grade graph` itself, in a process of its own where that is what is looked at."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from tape_sources import BOARD, NAME, ROOT, network

from grader.cli import graph
from grader.cli.graph import _board
from grader.errors import UnreadableSubmission, UsageError

BOARD_GOLDEN = Path(__file__).parent / "golden" / "board_wide.txt"


def grade(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GRADE_", "COLUMNS"))}
    return subprocess.run(
        [sys.executable, "-m", "grader", "graph", *map(str, arguments)],
        cwd=cwd, capture_output=True, text=True, timeout=120,
        env=kept | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
    )  # fmt: skip


def test_the_board_and_its_picture(tmp_path: Path) -> None:
    (tmp_path / "board.py").write_text(BOARD)
    done = grade("board.py", "--svg", "board.svg", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "Drawn into board.svg\n")
    if os.environ.get("GOLDEN") == "write":
        BOARD_GOLDEN.write_text(done.stdout, encoding="utf-8")
    assert done.stdout == BOARD_GOLDEN.read_text(encoding="utf-8")
    assert (tmp_path / "board.svg").read_text().startswith("<svg ")


def test_a_cut_submission(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(network(relu="h = x.detach()\nreturn h.clamp(min=0)"))
    done = grade(file, "-a", NAME, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert "✗ The path from loss to W1 and b1 ends here: `.detach()`, line 4 in relu." in (
        done.stdout
    )
    assert "\x1b" not in done.stdout


def test_a_whole_submission_in_this_process(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    file = tmp_path / "mine.py"
    file.write_text(network())
    ran = CliRunner().invoke(graph.command, [str(file), "-a", NAME], catch_exceptions=False)
    assert ran.exit_code == 0
    assert "✓ loss leads back to W1, b1, W2 and b2. All paths hold." in ran.output


def test_a_board_is_told_from_a_submission(tmp_path: Path) -> None:
    board, mine = tmp_path / "board.py", tmp_path / "mine.py"
    board.write_text(BOARD)
    mine.write_text(network())
    assert _board(board, None, None) is not None
    assert _board(mine, None, None) is None
    assert _board(board, NAME, None) is None
    assert _board(tmp_path, None, None) is None
    assert _board(tmp_path / "none.py", None, None) is None
    for other in ("relu = abs\n", "from mine import forward\n", "class logistic: pass\n"):
        board.write_text(BOARD + other)
        assert _board(board, None, None) is None, other
    board.write_text(BOARD)
    (tmp_path / ".grade.toml").write_text(f'assignment = "{NAME}"\n')
    assert _board(board, None, None) is None


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x = 1\n", "makes no tensors at its top level"),
        ("def f(:\n", "is no valid Python"),
    ],
)
def test_what_cannot_be_used_is_one_line(tmp_path: Path, source: str, words: str) -> None:
    file = tmp_path / "file.py"
    file.write_text(source)
    with pytest.raises((UsageError, UnreadableSubmission)) as caught:
        graph.command.main([str(file), "--isolation", "process"], standalone_mode=False)
    assert words in str(caught.value) or "-a NAME" in str(caught.value)


def test_an_assignment_that_says_nothing(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.delenv("GRADE_SOLUTIONS", raising=False)
    folder = tmp_path / "assignments" / "silent"
    (folder / "checks").mkdir(parents=True)
    (folder / "library_pieces.py").write_text("")
    (folder / "assignment.toml").write_text(
        'format_version = 1\ntitle = "x"\n'
        '[[exercise]]\nname = "f"\nsignature = "f(x)"\npoints = 1\n'
    )
    (tmp_path / "mine.py").write_text("def f(x): return x\n")
    with pytest.raises(UsageError, match=r"silent does not say what to draw\. .*\[graph\]"):
        graph.command.main([str(tmp_path / "mine.py"), "-a", str(folder)], standalone_mode=False)


def test_help_needs_no_torch() -> None:
    code = (
        "import sys, grader.cli.graph, grader.assignment\n"
        "heavy = {'torch', 'igraph', 'jinja2', 'matplotlib'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert isinstance(graph.command, click.Command)
