"""What lies in the bundles, and above all what does not."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from release_layouts import (
    ASSIGNMENT,
    NAME,
    ROOT,
    STAFF,
    WRONG,
    clean_environment,
    function_bodies,
    released,
    unpack,
)

from grader.assignment import Limits, load_assignment
from grader.authoring.release import students
from grader.authoring.release.host.resources import Resources, fitting, resources
from grader.errors import UsageError

PUBLIC = ("students", "classroom50")


def contents(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def as_text(name: str, data: bytes) -> str:
    """A file as one reads it; a notebook's cells without JSON's quotes."""
    text = data.decode("utf-8", "replace")
    if name.endswith(".ipynb"):
        return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    return text


def test_students_get_what_they_need(bundles: dict[str, bytes]) -> None:
    names = set(contents(bundles["students"]))
    needed = ["assignment.toml", "README.md", "library_pieces.py", f"{NAME}.py", f"{NAME}.ipynb"]
    needed += ["misconceptions.py", "misconceptions.toml", "checks/test_relu.py"]
    assert {f"{NAME}/{name}" for name in needed} <= names
    assert not any("solution" in name or "reference" in name for name in names)


@pytest.mark.parametrize("host", PUBLIC)
def test_no_answer_in_what_is_public(bundles: dict[str, bytes], host: str) -> None:
    """Every file is searched for every body of the model answer and of the right submissions."""
    files = {name: as_text(name, data) for name, data in contents(bundles[host]).items()}
    # Library pieces are given away, so what they say is no secret.
    library = (ASSIGNMENT / "library_pieces.py").read_text(encoding="utf-8")
    exercises = {e.name for e in load_assignment(ASSIGNMENT).exercises}
    searched = 0
    for staffs in [STAFF / "reference.py", *sorted((STAFF / "right").glob("*.py"))]:
        for function, body in function_bodies(staffs):
            if function not in exercises or body in library or "NotImplementedError" in body:
                continue
            searched += 1
            for name, text in files.items():
                assert body not in text, f"{name} holds {function} of {staffs.name}"
    assert searched > 300
    assert {name for name, _ in function_bodies(STAFF / "reference.py")} == exercises


@pytest.mark.parametrize("host", PUBLIC)
def test_no_hidden_check_in_what_is_public(bundles: dict[str, bytes], host: str) -> None:
    files = contents(bundles[host])
    hidden = sorted((STAFF / "checks").glob("test_*.py"))
    assert len(hidden) >= 5
    for check in hidden:
        assert check.read_bytes() not in files.values()
        for function, body in function_bodies(check):
            for name, data in files.items():
                assert body not in data.decode("utf-8", "replace"), (name, function)
                assert f"def {function}(" not in data.decode("utf-8", "replace"), (name, function)


@pytest.mark.parametrize("host", ["gradescope", "prairielearn", "coursera"])
def test_staffs_bundles_hold_what_grades_and_no_more(bundles: dict[str, bytes], host: str) -> None:
    names = contents(bundles[host])
    for ending in (f"solutions/{NAME}/reference.py", f"solutions/{NAME}/checks/test_relu.py",
                   "grader/student/worker/worker.py", "requirements.txt"):  # fmt: skip
        assert any(name.endswith(ending) for name in names), ending
    # Other people's right and wrong answers are not needed to grade.
    assert not any("/right/" in name or "/wrong/" in name for name in names)
    assert not any("__pycache__" in name or name.endswith(".pyc") for name in names)


def test_gradescope_has_its_scripts_at_the_root(bundles: dict[str, bytes]) -> None:
    with zipfile.ZipFile(io.BytesIO(bundles["gradescope"])) as archive:
        for name in ("setup.sh", "run_autograder"):
            assert archive.getinfo(name).external_attr >> 16 & 0o111
            assert archive.read(name).startswith(b"#!/usr/bin/env bash\n")


def test_prairielearn_describes_the_question(bundles: dict[str, bytes]) -> None:
    files = contents(bundles["prairielearn"])
    info = json.loads(files[f"questions/{NAME}/info.json"])
    options = info["externalGradingOptions"]
    assert (info["gradingMethod"], info["type"], options["enabled"]) == ("External", "v3", True)
    assert options["entrypoint"] == "/grade/tests/run.sh"
    assert f"questions/{NAME}/tests/run.sh" in files
    assert 60 < options["timeout"] <= 600
    assert options["enableNetworking"] is False
    page = files[f"questions/{NAME}/question.html"].decode()
    assert f'file-names="{NAME}.py"' in page
    for name in ("README.md", f"{NAME}.py"):
        assert f"questions/{NAME}/clientFilesQuestion/{name}" in files


def test_requirements_are_pinned(bundles: dict[str, bytes]) -> None:
    files = contents(bundles["gradescope"])
    lines = [line for line in files["requirements.txt"].decode().splitlines() if line[:1] != "#"]
    assert all(line.count("==") == 1 for line in lines)
    assert {"click", "msgspec", "numpy", "pytest"} <= {line.split("==")[0] for line in lines}
    assert not any(line.startswith("torch==") for line in lines)
    setup = files["setup.sh"].decode()
    assert "torch=2.13.0\n" in setup
    assert "@{" not in setup


def test_the_same_bundle_twice(bundles: dict[str, bytes], tmp_path: Path) -> None:
    again = tmp_path / "again.zip"
    assert released("students", again).returncode == 0
    assert again.read_bytes() == bundles["students"]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A course of one's own: the assignment and its solutions."""
    skipped = shutil.ignore_patterns("__pycache__", "wrong")
    shutil.copytree(ASSIGNMENT, tmp_path / "assignments" / NAME, ignore=skipped)
    shutil.copytree(STAFF, tmp_path / "solutions" / NAME, ignore=skipped)
    return tmp_path / "assignments" / NAME


@pytest.mark.parametrize("file", ["README.md", f"{NAME}.ipynb", "checks/test_relu.py"])
def test_an_answer_in_the_assignment_is_not_given_away(copy: Path, file: str) -> None:
    answer = dict(function_bodies(STAFF / "reference.py"))["sgd"]
    place = copy / file
    if file.endswith(".ipynb"):
        notebook = json.loads(place.read_text(encoding="utf-8"))
        lines = [f"{line}\n" for line in answer.splitlines()]
        notebook["cells"][1]["source"] = lines
        place.write_text(json.dumps(notebook), encoding="utf-8")
    else:
        with place.open("a", encoding="utf-8") as text:
            text.write(f"\n\n{answer}\n")
    with pytest.raises(UsageError, match=r"holds the body of sgd from"):
        students.build(load_assignment(copy))


def test_a_hidden_check_in_the_assignment_is_not_given_away(copy: Path) -> None:
    hidden = (STAFF / "checks" / "test_relu.py").read_text(encoding="utf-8")
    (copy / "checks" / "test_more.py").write_text(hidden, encoding="utf-8")
    with pytest.raises(UsageError, match=r"test_more.py holds the body of test_"):
        students.build(load_assignment(copy))


def test_what_else_lies_in_the_folder_stays_there(copy: Path) -> None:
    (copy / "notes_for_staff.txt").write_text("who cheated", encoding="utf-8")
    (copy / "checks" / "draft.txt").write_text("x", encoding="utf-8")
    names = [name for name, _ in students.build(load_assignment(copy))]
    assert not any(name.endswith(".txt") for name in names if name != "README.txt")


def test_staffs_bundle_without_solutions_is_refused(copy: Path, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "solutions")
    command = [sys.executable, "-m", "grader", "release", str(copy), "--for", "gradescope"]
    target = tmp_path / "x.zip"
    done = subprocess.run(
        [*command, "-o", str(target)], capture_output=True, text=True, cwd=ROOT, timeout=60,
        env=clean_environment(),
    )  # fmt: skip
    assert done.returncode == 2
    assert "--solutions DIR" in done.stderr
    assert not target.exists()


def test_students_can_grade_themselves(bundles: dict[str, bytes], tmp_path: Path) -> None:
    unpack(bundles["students"], tmp_path)
    shutil.copy(WRONG, tmp_path / NAME / f"{NAME}.py")
    done = subprocess.run(
        [sys.executable, "-m", "grader"], cwd=tmp_path / NAME, capture_output=True, text=True,
        timeout=120, env=clean_environment(),
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "public checks:" in done.stdout
    assert "leaky relu" in done.stdout


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"sys/fs/cgroup/memory.max": "805306368\n", "sys/fs/cgroup/cpu.max": "50000 100000\n"},
         Resources(768, 0.5)),
        ({"sys/fs/cgroup/memory.max": "max\n", "sys/fs/cgroup/cpu.max": "max 100000\n"},
         Resources(999, 2.0)),
        ({"sys/fs/cgroup/memory/memory.limit_in_bytes": "1610612736\n",
          "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "150000\n",
          "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n"}, Resources(1536, 1.5)),
        ({"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
          "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n"}, Resources(999, 2.0)),
        ({}, Resources(999, 2.0)),
    ],
)  # fmt: skip
def test_what_a_container_says_of_itself(
    tmp_path: Path, files: dict[str, str], found: Resources
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="ascii")
    assert resources(tmp_path, Resources(999, 2.0)) == found


def test_limits_fit_the_container() -> None:
    usual = Limits()
    small = fitting(usual, Resources(768, 0.5))
    assert small.memory_mb == 256
    assert small.call_seconds == 2 * usual.call_seconds
    assert small.submission_seconds == 2 * usual.submission_seconds
    assert fitting(usual, Resources(512, None)).memory_mb == 160
    assert fitting(usual, Resources(1 << 20, 8.0)) == usual
    assert fitting(usual, Resources()) == usual
