"""Gradescope's setup.sh, with tools that only note what they were asked for."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from release_layouts import unpack

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")

REAL = ("bash", "env", "chmod", "grep", "mkdir", "cat", "cp")
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
NOTE = '#!/bin/sh\necho "{name} $*" >>"{log}"\n'
# Makes an environment whose tools note what they are asked for, too.
MAKES = """[ "$2" = venv ] || exit 0
mkdir -p "$3/bin"
for tool in pip python; do
  printf '#!/bin/sh\\necho "%s $*" >>"{log}"\\n' "$tool" >"$3/bin/$tool"
  chmod +x "$3/bin/$tool"
done
"""


class Machine:
    """A root with the bundle in /autograder/source, and a PATH of made-up tools."""

    def __init__(self, base: Path, bundle: bytes) -> None:
        self.root, self.tools, self.log = base / "root", base / "tools", base / "log"
        unpack(bundle, self.root / "autograder" / "source")
        self.tools.mkdir()
        for name in REAL:
            found = shutil.which(name)
            assert found is not None
            (self.tools / name).symlink_to(found)

    def tool(self, name: str, more: str = "") -> Path:
        place = self.tools / name
        text = NOTE.format(name=name, log=self.log) + more.format(log=self.log)
        place.write_text(text, encoding="utf-8")
        place.chmod(0o755)
        return place

    def setup(self) -> subprocess.CompletedProcess[str]:
        script = self.root / "autograder" / "source" / "setup.sh"
        return subprocess.run(
            [str(script)], capture_output=True, text=True, timeout=60,
            env={"PATH": str(self.tools), "GRADER_ROOT": str(self.root)},
        )  # fmt: skip

    def asked(self) -> list[str]:
        return self.log.read_text(encoding="utf-8").splitlines()


@pytest.fixture
def machine(tmp_path: Path, bundles: dict[str, bytes]) -> Machine:
    return Machine(tmp_path, bundles["gradescope"])


def test_python_that_is_there_is_taken(machine: Machine) -> None:
    machine.tool(PYTHON, MAKES)
    done = machine.setup()
    assert done.returncode == 0, done.stderr
    asked = machine.asked()
    assert not any("apt" in line for line in asked)
    source = machine.root / "autograder" / "source"
    assert [line for line in asked if line.startswith("pip ")] == [
        "pip install --index-url https://download.pytorch.org/whl/cpu torch==2.13.0",
        f"pip install --requirement {source}/requirements.txt",
    ]
    assert source.stat().st_mode & 0o777 == 0o700
    assert asked[-1] == "python -m grader doctor"


@pytest.mark.parametrize(
    ("candidate", "from_elsewhere"),
    [("(none)", True), ("3.11.0~rc1-1~22.04", True), ("3.12.3-1ubuntu0.5", False)],
)
def test_python_is_brought(machine: Machine, candidate: str, from_elsewhere: bool) -> None:
    """From Ubuntu itself where it has a finished one, else from the archive of backports."""
    hidden = machine.tool("made", MAKES).rename(machine.tools / "made_python")
    machine.tool("apt-cache", f"echo '  Candidate: {candidate}'\n")
    machine.tool("add-apt-repository")
    arrives = f'case "$*" in *{PYTHON}-venv*) cp {hidden} {machine.tools}/{PYTHON} ;; esac\n'
    machine.tool("apt-get", arrives)
    done = machine.setup()
    assert done.returncode == 0, done.stderr
    added = "add-apt-repository -y ppa:deadsnakes/ppa" in machine.asked()
    assert added == from_elsewhere


def test_no_python_to_be_had_fails(machine: Machine) -> None:
    for name in ("apt-get", "apt-cache", "add-apt-repository"):
        machine.tool(name)
    done = machine.setup()
    assert done.returncode == 1
    assert f"no Python {PYTHON.removeprefix('python')}" in done.stderr


def test_a_failing_download_fails(machine: Machine) -> None:
    """Rather than an image that cannot grade."""
    machine.tool(PYTHON, MAKES.replace('"%s $*" >>"{log}"', '"%s $*" >>"{log}"; exit 7'))
    assert machine.setup().returncode == 7


@pytest.mark.parametrize("host", ["gradescope", "prairielearn", "coursera"])
def test_scripts_are_valid(bundles: dict[str, bytes], host: str) -> None:
    checked = 0
    with zipfile.ZipFile(io.BytesIO(bundles[host])) as archive:
        for name in archive.namelist():
            if archive.read(name).startswith(b"#!/usr/bin/env bash"):
                subprocess.run(["bash", "-n"], input=archive.read(name), check=True, timeout=30)
                checked += 1
    assert checked
