"""`grade batch` leaves the class page behind, and `grade report` writes it anew: the real commands."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from invented_class import invent

ROOT = Path(__file__).resolve().parents[2]
STAFF = ROOT / "solutions" / "xor_by_hand"


@dataclass(frozen=True)
class Done:
    """A command that ended."""

    status: int
    out: str
    err: str


def grade(*arguments: str | Path) -> Done:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GRADE_")}
    done = subprocess.run(
        [sys.executable, "-m", "grader", *map(str, arguments)],
        env=kept | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Results of an invented class, without any page yet."""
    invent(tmp_path / "out", 30).__exit__()
    return tmp_path / "out"


@pytest.mark.skipif(not STAFF.is_dir(), reason="solutions are staff's")
def test_a_graded_class_has_its_page(tmp_path: Path) -> None:
    source, out = tmp_path / "class", tmp_path / "out"
    source.mkdir()
    shutil.copy(STAFF / "reference.py", source / "right.py")
    shutil.copy(STAFF / "wrong" / "two_leaky_and_no_reset.py", source / "wrong.py")
    (source / "garbled.py").write_text("def relu(x:\n")
    done = grade("batch", source, "-a", "xor_by_hand", "-o", out, "--jobs", "1")
    assert done.status == 0, done.err
    file = out / "index.html"
    assert str(file) in done.out
    page = file.read_text(encoding="utf-8")
    assert page.count("<tr data-status=") == 3
    for slug in ("relu-leaky", "gradient-not-reset"):
        assert f'data-mistake="{slug}"' in page
    for name in ("right", "wrong", "garbled"):
        assert f'href="reports/{name}.' in page

    done = grade("override", out, "wrong", "sgd", "5", "--why", "The mail of Tuesday.")
    assert done.status == 0, done.err
    page = file.read_text(encoding="utf-8")
    assert "The mail of Tuesday." in page
    assert grade("forget", out, "wrong").status == 0
    page = file.read_text(encoding="utf-8")
    assert "The mail of Tuesday." not in page
    assert page.count("<tr data-status=") == 2


def test_report_writes_everything_anew_and_grades_nothing(out: Path) -> None:
    half = out / ".index.html.left"
    half.touch()
    done = grade("report", out)
    assert (done.status, done.err) == (0, "")
    assert f"Written: {out / 'index.html'}" in done.out
    assert "Invented" in (out / "index.html").read_text(encoding="utf-8")
    assert (out / "grades.csv").is_file()
    assert (out / "reports" / "u00001.json").is_file()
    assert not half.exists()


def test_the_anonymous_page_goes_where_it_is_told(out: Path, tmp_path: Path) -> None:
    file = tmp_path / "lecture.html"
    done = grade("report", out, "--anonymous", "-o", file)
    assert (done.status, done.out) == (0, f"Written: {file}\n")
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
    done = grade("report", out, *options)
    assert done.status == 2
    assert said in done.err
    assert "Traceback" not in done.err


def test_a_folder_without_results_is_said(tmp_path: Path) -> None:
    done = grade("report", tmp_path)
    assert done.status == 2
    assert "holds no results" in done.err
