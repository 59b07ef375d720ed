"""The same command again: what is done stays, what changed is graded again, and nobody falls
silently."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from class_runs import (
    ASSIGNMENT,
    NAME,
    REFERENCE,
    TWICE_WRONG,
    Done,
    batch,
    document,
    grade,
    graded_at,
    table,
)

MARK = "1234567.0"
BUG = f"""
    if float(student.relu(draw.normal(2)).sum()) == {MARK}:
        raise RuntimeError("the check is broken")
"""


@pytest.fixture
def assignment(tmp_path: Path) -> Path:
    """A copy of the assignment, without solutions, to be changed."""
    folder = tmp_path / "course" / "assignments" / NAME
    return Path(
        shutil.copytree(ASSIGNMENT, folder, ignore=shutil.ignore_patterns("__pycache__"))
    )


def graded(source: Path, assignment: Path, out: Path) -> Done:
    return grade("batch", source, "-a", assignment, "-o", out)


def test_only_what_changed_is_graded_again(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert batch(small, out).status == 0
    first = graded_at(out)
    full = float(table(out)["right"]["score"])
    assert "Lower than before" not in batch(small, out).out

    shutil.copy(TWICE_WRONG, small / "right.py")
    changed = batch(small, out)
    second = graded_at(out)
    assert second["wrong"] == first["wrong"]
    assert second["right"] > first["right"]
    now = float(table(out)["right"]["score"])
    assert now < full
    assert f"Lower than before (1): right ({full:g} -> {now:g})" in changed.out

    assert batch(small, out, "--only", "wrong").status == 0
    third = graded_at(out)
    assert (third["wrong"] > second["wrong"], third["right"]) == (True, second["right"])
    assert batch(small, out, "--fresh").status == 0
    assert all(at > third[name] for name, at in graded_at(out).items())


def test_an_id_that_is_not_there_is_said(small: Path, tmp_path: Path) -> None:
    done = batch(small, tmp_path / "out", "--only", "nobody")
    assert done.status == 2
    assert "nobody" in done.err


def test_a_bug_of_a_check_is_nobodys_zero_and_mended_it_is_graded_again(
    assignment: Path, tmp_path: Path
) -> None:
    source, out = tmp_path / "class", tmp_path / "out"
    source.mkdir()
    shutil.copy(REFERENCE, source / "right.py")
    text = REFERENCE.read_text()
    struck = f"{text}\n\ndef relu(x):\n    return torch.full_like(x, {MARK} / x.numel())\n"
    (source / "struck.py").write_text(struck)
    check = assignment / "checks" / "test_relu.py"
    sound = check.read_text()
    check.write_text(sound.replace('as it was.\n    """\n', f'as it was.\n    """{BUG}', 1))
    assert check.read_text() != sound

    done = graded(source, assignment, out)
    assert done.status == 3, done.err
    rows = table(out)
    assert rows["struck"]["status"] == "grader failed"
    assert [rows["struck"][key] for key in ("score", "max_score", "relu", "sgd")] == [""] * 4
    assert "The grader failed on (1): struck" in done.out
    assert "broken" in document(out, "struck")["grade"]["notes"][0]["message"]
    assert rows["right"]["score"] == rows["right"]["max_score"] != ""

    # What failed is not done: the same command tries it again, and that alone.
    first = graded_at(out)
    assert graded(source, assignment, out).status == 3
    again = graded_at(out)
    assert (again["right"], again["struck"] > first["struck"]) == (first["right"], True)

    check.write_text(sound)
    assert graded(source, assignment, out).status == 0
    assert all(at > again[name] for name, at in graded_at(out).items())
    assert table(out)["struck"]["relu"] == "0"


def test_results_of_another_assignment_are_not_mixed(
    small: Path, assignment: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    other = assignment.rename(assignment.with_name("another"))
    assert graded(small, other, out).status == 0
    done = batch(small, out)
    assert done.status == 2
    assert "holds results of another" in done.err
