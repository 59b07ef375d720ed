"""`grade batch` leaves the class page behind, and `grade report` writes it anew."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from invented_class import invent

from grader.errors import UsageError

ROOT = Path(__file__).resolve().parents[2]
STAFF = ROOT / "solutions" / "xor_by_hand"


def grade(command: str, *arguments: str | Path) -> str:
    """What a command of `grade` says, run in this process. Raises what it raises."""
    module = importlib.import_module(f"grader.cli.{command}")
    done = CliRunner().invoke(module.command, list(map(str, arguments)), standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return str(done.stdout)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Results of an invented class, without any page yet."""
    invent(tmp_path / "out", 30).__exit__()
    return tmp_path / "out"


@pytest.mark.skipif(not STAFF.is_dir(), reason="solutions are staff's")
def test_a_graded_class_has_its_page(tmp_path: Path) -> None:
    source, out = tmp_path / "class", tmp_path / "out"
    source.mkdir()
    shutil.copy(STAFF / "wrong" / "two_leaky_and_no_reset.py", source / "wrong.py")
    (source / "garbled.py").write_text("def relu(x:\n")
    command = [sys.executable, "-m", "grader", "batch", source, "-a", "xor_by_hand", "-o", out]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*command, "--jobs", "1"], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    file = out / "index.html"
    assert str(file) in done.stdout
    page = file.read_text(encoding="utf-8")
    assert page.count("<tr data-status=") == 2
    for slug in ("relu-leaky", "gradient-not-reset"):
        assert f'data-mistake="{slug}"' in page
    for name in ("wrong", "garbled"):
        assert f'href="reports/{name}.' in page

    grade("override", out, "wrong", "sgd", "5", "--why", "The mail of Tuesday.")
    page = file.read_text(encoding="utf-8")
    assert "The mail of Tuesday." in page
    grade("forget", out, "wrong")
    page = file.read_text(encoding="utf-8")
    assert "The mail of Tuesday." not in page
    assert page.count("<tr data-status=") == 1


def test_report_writes_everything_anew_and_grades_nothing(out: Path) -> None:
    half = out / ".index.html.left"
    half.touch()
    assert f"Written: {out / 'index.html'}" in grade("report", out)
    assert "Invented" in (out / "index.html").read_text(encoding="utf-8")
    assert (out / "grades.csv").is_file()
    assert (out / "reports" / "u00001.json").is_file()
    assert not half.exists()


def test_the_anonymous_page_goes_where_it_is_told(out: Path, tmp_path: Path) -> None:
    file = tmp_path / "lecture.html"
    assert grade("report", out, "--anonymous", "-o", file) == f"Written: {file}\n"
    assert "Invented Alder" not in file.read_text(encoding="utf-8")
    assert not (out / "index.html").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--anonymous"], "-o FILE"),
        (["-o", "x.html"], "--anonymous"),
        (["--anonymous", "-o", "no/such/folder/x.html"], "no/such/folder"),
    ],
)
def test_what_cannot_be_is_said(out: Path, options: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        grade("report", out, *options)


def test_a_folder_without_results_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no results"):
        grade("report", tmp_path)
