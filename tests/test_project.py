"""What is shipped, what is pinned, and what continuous integration runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import grader

ROOT = Path(__file__).resolve().parent.parent
SOLUTIONS = ROOT / "solutions"
SOURCES = ("grader", "assignments", "solutions", "pyproject.toml", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def pins() -> dict[str, Version]:
    """The releases in constraints.txt, by normalized name."""
    found = {}
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, version = line.split("==")
            found[canonicalize_name(name)] = Version(version)
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel, built from a copy: a build beside the sources could pick up what lies there."""
    pytest.importorskip("hatchling", reason="the build backend comes with the extra `dev`")
    source = tmp_path_factory.mktemp("source")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            skipped = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, source / name, ignore=skipped)
        else:
            shutil.copy(ROOT / name, source / name)
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    command += ["--wheel-dir", str(out), str(source)]
    built = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert built.returncode == 0, built.stderr
    (file,) = out.glob("*.whl")
    return zipfile.ZipFile(file)


def test_wheel_holds_the_engine_and_the_assignments(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    sources = [file for top in ("grader", "assignments") for file in (ROOT / top).rglob("*")]
    data = (".py", ".toml", ".json", ".ipynb", ".md", ".typed", ".html", ".css", ".j2")
    for file in sources:
        if file.suffix in data or file.name == "py.typed":
            inside = file.relative_to(ROOT).as_posix()
            inside = inside if inside.startswith("grader/") else f"grader/{inside}"
            assert inside in names
    assert "grader/assignments/xor_by_hand/assignment.toml" in names
    assert {name.split("/")[0] for name in names} == {
        "grader",
        f"autograd_grader-{grader.__version__}.dist-info",
    }


def test_wheel_holds_no_solution(wheel: zipfile.ZipFile) -> None:
    """Neither as a file nor pasted into one: whoever installs the wheel may be a student."""
    staffs = {file.read_bytes(): file for file in SOLUTIONS.rglob("*") if file.is_file()}
    assert any(file.name == "reference.py" for file in staffs.values())
    answers = [
        body
        for reference in SOLUTIONS.glob("*/reference.py")
        for body in _bodies(reference.read_text(encoding="utf-8"))
    ]
    assert len(answers) >= 5
    for name in wheel.namelist():
        content = wheel.read(name)
        assert not content or content not in staffs
        assert "solutions" not in name.split("/")
        for answer in answers:
            lines = content.decode("utf-8", "replace") + "\n"
            assert answer + "\n" not in lines, f"{name} holds {answer}"


def _bodies(source: str) -> list[str]:
    """The functions' bodies, as they are indented there."""
    bodies = re.findall(r"^def .*:\n((?:[ \t]+.*\n|\n(?=[ \t]))+)", source, re.MULTILINE)
    return [body.rstrip() for body in bodies]


def test_wheel_says_what_it_is(wheel: zipfile.ZipFile) -> None:
    folder = f"autograd_grader-{grader.__version__}.dist-info"
    metadata = wheel.read(f"{folder}/METADATA").decode()
    assert f"Version: {grader.__version__}\n" in metadata
    assert "License-Expression: MIT" in metadata
    assert "grade = grader.cli:main" in wheel.read(f"{folder}/entry_points.txt").decode()


def test_pins_lie_in_the_ranges(project: dict[str, Any], pins: dict[str, Version]) -> None:
    wanted = list(project["project"]["dependencies"])
    for extra in project["project"]["optional-dependencies"].values():
        wanted += extra
    assert len(wanted) > 8
    for requirement in map(Requirement, wanted):
        name = canonicalize_name(requirement.name)
        if name != "autograd-grader":
            assert name in pins, f"{name} has no pin"
            assert requirement.specifier, f"{name} has no range"
            assert pins[name] in requirement.specifier


def test_pins_are_exact_and_of_no_private_build(pins: dict[str, Version]) -> None:
    assert all(version.local is None for version in pins.values())
    assert pins["torch"] == Version("2.13.0")


def test_the_version_stands_in_one_place(project: dict[str, Any]) -> None:
    assert "version" in project["project"]["dynamic"]
    assert "version" not in project["project"]
    source = (ROOT / "grader" / "__init__.py").read_text(encoding="utf-8")
    assert source.count(f'"{grader.__version__}"') == 1
    version = re.escape(grader.__version__)
    written = re.compile(rf"(__version__|\bversion)\s*=\s*[\"']{version}[\"']")
    holders = [file for file in (ROOT / "grader").rglob("*.py") if written.search(_text(file))]
    assert holders == [ROOT / "grader" / "__init__.py"]
    assert f"## {grader.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
def test_continuous_integration_lints_and_tests(tmp_path: Path) -> None:
    """.ci/run, with a `make` that only notes what it was asked for."""
    run = ROOT / ".ci" / "run"
    assert os.access(run, os.X_OK)
    assert run.read_text(encoding="utf-8").startswith("#!/usr/bin/env bash\n")
    for tool in ("make", "bwrap", "tmux", "chromium", "npm"):
        fake = tmp_path / tool
        fake.write_text(f'#!/bin/sh\necho {tool} "$@" >>"{tmp_path}/called"\n', encoding="utf-8")
        fake.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    subprocess.run([run], check=True, cwd=tmp_path, timeout=60, env={**os.environ, "PATH": path})
    called = (tmp_path / "called").read_text(encoding="utf-8").splitlines()
    assert called == ["make lint", "make test"]


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@pytest.mark.parametrize("failing", ["lint", "test"])
def test_continuous_integration_fails_when_a_part_does(tmp_path: Path, failing: str) -> None:
    for tool in ("make", "bwrap", "tmux", "chromium", "npm"):
        (tmp_path / tool).write_text(f'#!/bin/sh\n[ "$1" != {failing} ]\n', encoding="utf-8")
        (tmp_path / tool).chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run([ROOT / ".ci" / "run"], timeout=60, env={**os.environ, "PATH": path})
    assert ended.returncode != 0
