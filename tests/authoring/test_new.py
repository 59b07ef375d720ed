"""`grade new`: what it makes is a whole assignment that its audit passes, and it spoils nothing."""

from __future__ import annotations

import contextlib
import importlib.resources
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from grader.assignment import load_assignment
from grader.authoring.new.names import checked_name, title_of
from grader.authoring.new.skeleton import write_skeleton
from grader.authoring.notebook import notebook_from_module
from grader.checking.collection import with_checks
from grader.errors import UsageError
from grader.misconceptions.catalogue import general, load_catalogue

ROOT = Path(__file__).resolve().parents[2]
NAME = "first_scaling"


def grade(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The real command in a folder outside of the checkout."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GRADE_", "PYTEST_"))}
    command = [sys.executable, "-m", "grader", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=240,
        env=clean | {"PYTHONPATH": str(ROOT), "NO_COLOR": "1", "OMP_NUM_THREADS": "1"},
    )  # fmt: skip


def files_below(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which `grade new` was run."""
    folder = tmp_path_factory.mktemp("course")
    made = grade(folder, "new", NAME)
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout.startswith("First scaling\n")
    assert made.stdout.endswith(f"  grade audit {NAME}\n")
    return folder


def test_its_audit_passes_on_the_first_day(course: Path) -> None:
    audited = grade(course, "audit", NAME, "--isolation", "process")
    assert audited.returncode == 0, audited.stdout + audited.stderr
    assert audited.stdout.endswith("Nothing gets through.\n")
    caught, of = re.findall(r"(\d+) of (\d+) mutants caught", audited.stdout)[0]
    assert caught == of
    assert int(of) > 10
    assert "3 of 3 names right" in audited.stdout


@pytest.mark.parametrize(
    ("file", "status", "says"),
    [
        ("reference.py", 0, "3 of 3 points"),
        ("wrong/factor_added.py", 1, "your values are those of x + factor"),
    ],
)
def test_submissions_are_graded_from_elsewhere(
    file: str, status: int, says: str, course: Path, tmp_path: Path
) -> None:
    submission = tmp_path / "mine.py"
    submission.write_bytes((course / "solutions" / NAME / file).read_bytes())
    at = course / "assignments" / NAME
    done = grade(tmp_path, "check", "mine.py", "-a", str(at), "--isolation", "process")
    assert done.returncode == status, done.stdout + done.stderr
    assert says in done.stdout.replace("Your", "your")


def test_a_student_starts_it(course: Path, tmp_path: Path) -> None:
    began = grade(tmp_path, "start", str(course / "assignments" / NAME), "mine")
    assert began.returncode == 0, began.stderr
    done = grade(tmp_path / "mine", "--help")
    assert done.returncode == 0
    assert {path.name for path in (tmp_path / "mine").iterdir()} == {
        f"{NAME}.py", "README.md", ".grade.toml",
    }  # fmt: skip


def test_public_and_staffs_files_are_told_apart(course: Path) -> None:
    assert sorted(files_below(course / "assignments")) == [
        f"{NAME}/README.md",
        f"{NAME}/assignment.toml",
        f"{NAME}/checks/test_scale.py",
        f"{NAME}/{NAME}.ipynb",
        f"{NAME}/{NAME}.py",
        f"{NAME}/library_pieces.py",
        f"{NAME}/misconceptions.py",
        f"{NAME}/misconceptions.toml",
    ]
    answer = "return x * factor"
    holders = [name for name, data in files_below(course).items() if answer in data.decode()]
    assert holders == [f"solutions/{NAME}/reference.py"]


def test_every_file_says_what_to_change_and_no_blank_is_left(course: Path) -> None:
    files = {name: data.decode() for name, data in files_below(course).items()}
    assert not [name for name, text in files.items() if "@{" in text]
    silent = {name.rpartition("/")[2] for name, text in files.items() if "CHANGE" not in text}
    # The stub and the words of a mistake are read by students; those beside others of their kind.
    assert silent <= {
        f"{NAME}.py", f"{NAME}.ipynb", "misconceptions.toml", "graph_cut.py", "argument_changed.py",
    }  # fmt: skip


def test_the_forms_of_the_stub_are_equal(course: Path) -> None:
    folder = course / "assignments" / NAME
    made = notebook_from_module((folder / f"{NAME}.py").read_text(encoding="utf-8"))
    assert nbformat.read(folder / f"{NAME}.ipynb", as_version=4) == made


def test_the_handout_prints_what_it_says_and_has_the_sections_that_mistakes_point_to(
    course: Path,
) -> None:
    folder = course / "assignments" / NAME
    handout = (folder / "README.md").read_text(encoding="utf-8")
    namespace: dict[str, object] = {}
    for block in re.findall(r"^```python\n(.*?)^```$", handout, re.DOTALL | re.MULTILINE):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(block, namespace)
        assert printed.getvalue().splitlines() == re.findall(r"\)  # (.*)$", block, re.MULTILINE)
    assert namespace
    known = set(re.findall(r"^#+ (\d+(?:\.\d+)?) ", handout, re.MULTILINE))
    own = load_catalogue(folder / "misconceptions.toml").values()
    assert {entry.handout for entry in own} <= known
    # Those of the update, the graph and types, which any function can meet.
    anywhere = {e.handout for e in general().values() if e.group in ("update", "graph", "types")}
    assert {section for section in anywhere if int(section.partition(".")[0]) < 7} <= known


def test_every_check_names_a_sentence_that_demands_it(course: Path) -> None:
    assignment = load_assignment(course / "assignments" / NAME)
    told = " ".join((assignment.path / f"{NAME}.py").read_text(encoding="utf-8").split())
    demands: list[str] = []
    with_checks(assignment, lambda checks, *_: demands.extend(check.demands for check in checks))
    assert len(demands) == 3
    assert all(" ".join(sentence.split()) in told for sentence in demands)


def test_python_files_are_as_the_linter_wants_them(course: Path) -> None:
    ruff = [sys.executable, "-m", "ruff"]
    settings = ["--config", str(ROOT / "pyproject.toml")]
    for command in (["check", "--extend-ignore", "I"], ["format", "--check"]):
        done = subprocess.run([*ruff, *command, *settings, "."], cwd=course, capture_output=True)
        assert done.returncode == 0, done.stdout.decode()


@pytest.mark.parametrize("taken", ["assignments", "solutions"])
def test_nothing_is_overwritten(taken: str, tmp_path: Path) -> None:
    (tmp_path / taken / NAME).mkdir(parents=True)
    (tmp_path / taken / NAME / "mine.txt").write_text("years of work")
    before = files_below(tmp_path)
    done = grade(tmp_path, "new", NAME)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "is there already" in done.stderr
    assert files_below(tmp_path) == before
    assert not (tmp_path / "assignments" / NAME / "assignment.toml").exists()
    other = ({"assignments", "solutions"} - {taken}).pop()
    assert not (tmp_path / other / NAME).exists()


def test_a_name_that_the_project_has_is_refused(tmp_path: Path) -> None:
    done = grade(tmp_path, "new", "xor_by_hand")
    assert done.returncode == 2
    assert "there is an assignment xor_by_hand" in done.stderr
    assert not files_below(tmp_path)


def test_where_one_half_cannot_be_written_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "solutions").write_text("a file, no folder")
    with pytest.raises(UsageError, match="solutions is there already"):
        write_skeleton(NAME, "A title", tmp_path)
    assert files_below(tmp_path) == {"solutions": b"a file, no folder"}
    assert not (tmp_path / "assignments" / NAME).exists()


@pytest.mark.parametrize("name", ["a", "softmax_regression", "part_2", "x1"])
def test_names_that_will_do(name: str) -> None:
    assert checked_name(name) == name


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "no name"),
        ("Softmax Regression", r"softmax_regression\?"),
        ("softmax-regression", r"softmax_regression\?"),
        ("../elsewhere", r"elsewhere\?"),
        ("a/b", r"a_b\?"),
        ("_a", r"a\?"),
        ("1st", "no name"),
        ("é", "no name"),
        ("a__b", "no name"),
        ("a\n", "no name"),
        ("a" * 61, "no name"),
        ("class", "Python's own"),
        ("match", "Python's own"),
        ("torch", "imported"),
        ("random", "imported"),
        ("grader", "imported"),
        ("library_pieces", "another file"),
        ("con", "another file"),
    ],
)
def test_names_that_will_not(name: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        checked_name(name)


@pytest.mark.parametrize("title", ['say "yes"', "back\\slash", "bell\a"])
def test_a_title_that_would_break_a_file_is_refused(title: str, tmp_path: Path) -> None:
    done = grade(tmp_path, "new", NAME, "--title", title)
    assert done.returncode == 2
    assert "a title is one line" in done.stderr


def test_a_title_of_ones_own(tmp_path: Path) -> None:
    done = grade(tmp_path, "new", NAME, "deep/er", "--title", "Größe: 3 mal x")
    assert done.returncode == 0, done.stderr
    assert load_assignment(tmp_path / "deep/er/assignments" / NAME).title == "Größe: 3 mal x"
    assert "  cd deep/er\n" in done.stdout
    assert title_of("two_words") == "Two words"


def test_templates_are_all_files_that_are_used() -> None:
    templates = Path(str(importlib.resources.files("grader.authoring.new") / "templates"))
    assert len(files_below(templates)) == 13
    assert all(name.endswith(".template") for name in files_below(templates))
