"""What is shipped, installed where nothing of the checkout is: it works, and gives nothing away."""

from __future__ import annotations

import ast
import json
import os
import shutil
import site
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import grader

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = (
    "grader", "assignments", "pyproject.toml", "constraints.txt", "README.md", "CHANGELOG.md",
    "LICENSE", "solutions",
)  # fmt: skip

pytest.importorskip("hatchling", reason="the build backend comes with the extra `dev`")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="looks for bin/grade")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist, built from a copy, without network."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for name in SHIPPED:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, source / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, source)
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(out)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


@pytest.fixture(scope="module")
def command(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`grade` of the wheel in an environment of its own, which borrows torch and the like."""
    place = tmp_path_factory.mktemp("environment")
    venv.create(place, with_pip=False, symlinks=True)
    python = place / "bin" / "python"
    (wheel,) = built.glob("*.whl")
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    install += ["--no-deps", "--no-index", "--disable-pip-version-check", str(wheel)]
    done = subprocess.run(install, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    # A .pth in a folder that is on the path by a .pth is not read: this checkout stays unknown.
    packages = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    if site.ENABLE_USER_SITE:
        packages.add(site.getusersitepackages())
    own = sysconfig.get_path("purelib", vars={"base": str(place), "platbase": str(place)})
    (Path(own) / "borrowed.pth").write_text("".join(f"{path}\n" for path in sorted(packages)))
    return place / "bin" / "grade"


def grade(command: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    clean = {
        name: value
        for name, value in os.environ.items()
        if name != "PYTHONPATH" and not name.startswith(("GRADE_", "PYTEST_"))
    }
    return subprocess.run(
        [str(command), *arguments], cwd=folder, capture_output=True, text=True, timeout=240,
        env=clean | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip


def test_a_student_begins_and_grades(command: Path, tmp_path: Path) -> None:
    began = grade(command, tmp_path, "start", "xor_by_hand")
    assert began.returncode == 0, began.stderr
    first = grade(command, tmp_path / "xor_by_hand")
    assert first.returncode == 1, first.stdout + first.stderr
    # Hidden checks are not there, nor is this checkout, which has them.
    assert "11 are decided after hand-in" in first.stdout
    assert "not attempted" in first.stdout
    remembered = (tmp_path / "xor_by_hand" / ".grade.toml").read_text(encoding="utf-8")
    assert str(ROOT) not in remembered
    assert str(command.parents[1]) in remembered


def test_an_author_begins_and_grades(command: Path, tmp_path: Path) -> None:
    made = grade(command, tmp_path, "new", "first_scaling")
    assert made.returncode == 0, made.stderr
    answer = tmp_path / "solutions" / "first_scaling" / "reference.py"
    done = grade(command, tmp_path, "check", str(answer))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 of 3 points" in done.stdout


def archived(built: Path) -> Iterator[tuple[str, str, bytes]]:
    """(archive, name in it, content) of every file that is shipped."""
    (wheel,), (sdist,) = built.glob("*.whl"), built.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as opened:
        for name in opened.namelist():
            yield "wheel", name, opened.read(name)
    with tarfile.open(sdist) as opened:
        for member in opened:
            if member.isfile():
                file = opened.extractfile(member)
                assert file is not None
                yield "sdist", member.name, file.read()


def test_neither_archive_holds_an_answer_or_a_hidden_check(built: Path) -> None:
    """Neither as a file nor as a part of one."""
    staffs = [path for path in (ROOT / "solutions").rglob("*") if path.is_file()]
    whole = {path.read_bytes() for path in staffs if path.stat().st_size}
    functions = {
        text
        for path in staffs
        if path.name == "reference.py" or path.parent.name == "checks"
        if path.suffix == ".py"
        for text in bodies(path.read_text(encoding="utf-8"))
    }
    assert len(functions) > 40
    seen = dict.fromkeys(("wheel", "sdist"), 0)
    for archive, name, content in archived(built):
        seen[archive] += 1
        assert "solutions" not in name.split("/"), name
        assert content not in whole, name
        if name.endswith((".py", ".ipynb", ".md", ".toml", ".template")):
            text = content.decode()
            if name.endswith(".ipynb"):
                cells = json.loads(text)["cells"]
                text = "\n".join("".join(cell["source"]) for cell in cells)
            held = [body for body in functions if f"{body}\n" in f"{text}\n"]
            assert held == [], f"{archive}, {name}"
    assert min(seen.values()) > 250


def bodies(source: str) -> Iterator[str]:
    """Each function's body as it is written, its docstring left out; trivial ones too short."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            first = node.body[1:] if ast.get_docstring(node) else node.body
            if first:
                text = "\n".join(lines[first[0].lineno - 1 : node.end_lineno]).strip()
                if len(text) > 20:
                    yield text


def test_both_say_which_release_they_are(built: Path) -> None:
    names = sorted(path.name for path in built.iterdir())
    assert names == [
        f"autograd_grader-{grader.__version__}-py3-none-any.whl",
        f"autograd_grader-{grader.__version__}.tar.gz",
    ]
