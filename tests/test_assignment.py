"""Reading an assignment: what is found, and what a broken one is told."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.assignment import (
    DEFAULT_TOLERANCES,
    LOOSE,
    enclosing_assignment,
    find_assignment,
    known_assignments,
    load_assignment,
)
from grader.errors import AssignmentError, GraderFailed, UnreadableSubmission, UsageError

ROOT = Path(__file__).resolve().parent.parent
NAME = "xor_by_hand"

TOML = """
format_version = 1
title = "Two functions"

[[exercise]]
name = "relu"
signature = "relu(x)"
points = 2

[[exercise]]
name = "forward"
signature = "forward(x, scale=1.0)"
points = 3
uses = ["relu"]

[[exercise]]
name = "train"
signature = "train(x)"
points = 1
uses = ["forward"]
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small assignment that loads."""
    monkeypatch.delenv("GRADE_SOLUTIONS", raising=False)
    folder = tmp_path / "assignments" / "small"
    (folder / "checks").mkdir(parents=True)
    (folder / "library_pieces.py").write_text("")
    (folder / "assignment.toml").write_text(TOML)
    return folder


def error_of(place: Path, toml: str | None = None) -> AssignmentError:
    if toml is not None:
        (place / "assignment.toml").write_text(toml)
    with pytest.raises(AssignmentError) as caught:
        load_assignment(place)
    return caught.value


def test_what_stands_in_it(place):
    found = load_assignment(place)
    assert (found.name, found.title, found.stub) == ("small", "Two functions", "small")
    assert [exercise.name for exercise in found.exercises] == ["relu", "forward", "train"]
    assert found.exercise("forward").points == 3
    assert found.solutions is None
    assert found.oracle == place / "library_pieces.py"
    assert found.limits.call_seconds == 5.0


def test_what_an_exercise_is_built_on_through_others_too(place):
    found = load_assignment(place)
    assert found.used_by("train") == ("relu", "forward")
    assert found.used_by("forward") == ("relu",)
    assert found.used_by("relu") == ()


def test_tolerances(place):
    (place / "assignment.toml").write_text(
        TOML.replace("\n[[exercise]]", "\n[tolerances]\nfloat32 = {rtol = 0.5, atol = 1}\n\n"
                     "[[exercise]]", 1)
    )  # fmt: skip
    found = load_assignment(place)
    assert found.tolerance("float32").rtol == 0.5
    assert found.tolerance("float64") == DEFAULT_TOLERANCES["float64"]
    assert found.tolerance("int64") == LOOSE


@pytest.mark.parametrize(
    ("before", "after", "key", "why"),
    [
        ("format_version = 1", "format_version = 2", "format_version", "is 2"),
        ("format_version = 1", "", "top level", "format_version"),
        ('title = "Two functions"', "title = 3", "title", "str"),
        ('title = "Two functions"', 'titel = "a"', "top level", "titel"),
        ("points = 2", "points = 0", "exercise[0].points", "> 0"),
        ("points = 2", 'points = "two"', "exercise[0].points", "float"),
        ("points = 2", "points = 2\nkind = 'other'", "exercise[0].kind", "other"),
        ("points = 2", "points = 2\nbanned = ['relu', 'clone']", "exercise[0].banned", "clone"),
        ("points = 2", "points = 2\nbaned = []", "exercise[0]", "baned"),
        ('name = "relu"', 'name = "re lu"', "exercise[0].name", "regex"),
        ('name = "forward"', 'name = "relu"', "exercise[1].name", "twice"),
        ('uses = ["relu"]', 'uses = ["reluu"]', "exercise[1].uses", "Did you mean relu?"),
        ('uses = ["relu"]', 'uses = ["train"]', "exercise[1].uses", "before forward"),
        ('"relu(x)"', '"rely(x)"', "exercise[0].signature", "no signature of relu"),
        ('"relu(x)"', '"relu(x"', "exercise[0].signature", "no signature of relu"),
        ("\n[[exercise]]", "\n[limits]\ncall_seconds = 0\n\n[[exercise]]", "limits.call_seconds",
         "> 0"),
        ("\n[[exercise]]", "\n[limits]\ncall_second = 1\n\n[[exercise]]", "limits", "call_second"),
    ],
)  # fmt: skip
def test_a_broken_toml_is_told_by_file_key_and_reason(before, after, key, why, place):
    assert before in TOML
    error = error_of(place, TOML.replace(before, after, 1))
    assert error.path == str(place / "assignment.toml")
    assert error.key == key
    assert why in str(error)
    assert str(error).startswith(f"{place / 'assignment.toml'}: {key}: ")
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("data", "where"),
    [(b"a = ", "end of document"), (b"a = 1\nb = ]\n", "line 2"), (b"\xff\xfe", "0xff")],
)
def test_what_is_no_toml(data, where, place):
    (place / "assignment.toml").write_bytes(data)
    error = error_of(place)
    assert error.why.startswith("is no TOML: ")
    assert where in error.why


@pytest.mark.parametrize("name", ["assignment.toml", "library_pieces.py", "checks"])
def test_a_part_that_is_missing(name, place):
    part = place / name
    shutil.rmtree(part) if part.is_dir() else part.unlink()
    error = error_of(place)
    assert (error.path, error.why) == (str(part), "is missing")


def test_solutions_are_found_beside_by_variable_and_by_name(place, tmp_path, monkeypatch):
    def made(folder: str) -> Path:
        own = tmp_path / folder / "small"
        (own / "checks").mkdir(parents=True)
        (own / "reference.py").write_text("")
        return own

    beside = made("solutions")
    assert load_assignment(place).solutions == beside
    assert load_assignment(place).oracle == beside / "reference.py"
    assert load_assignment(place).hidden_checks == beside / "checks"
    monkeypatch.setenv("GRADE_SOLUTIONS", str(made("by_variable").parent))
    assert load_assignment(place).solutions == tmp_path / "by_variable" / "small"
    named = made("named")
    assert load_assignment(place, named.parent).solutions == named
    with pytest.raises(UsageError, match="holds no folder called small"):
        load_assignment(place, tmp_path / "assignments" / "small" / "checks")


def test_the_digest_changes_with_what_decides_a_verdict(place, tmp_path):
    own = tmp_path / "solutions" / "small"
    (own / "checks").mkdir(parents=True)
    digests = [load_assignment(place).digest]
    for file in [
        place / "library_pieces.py", place / "misconceptions.py", place / "checks" / "test_a.py",
        own / "reference.py", own / "checks" / "test_b.py",
    ]:  # fmt: skip
        file.write_text("# changed\n")
        digests.append(load_assignment(place).digest)
    assert len(set(digests)) == len(digests)
    (place / "README.md").write_text("A handout.\n")
    assert load_assignment(place).digest == digests[-1]


def test_by_name_near_the_working_folder_first(place, tmp_path):
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert known_assignments(below)["small"] == place
    assert known_assignments(below)[NAME] == ROOT / "assignments" / NAME
    assert find_assignment("small", start=below).path == place
    assert "small" not in known_assignments(ROOT)


def test_by_folder(place, tmp_path, monkeypatch):
    assert find_assignment(str(place)).name == "small"
    monkeypatch.chdir(place)
    assert find_assignment(".").path == place
    with pytest.raises(AssignmentError, match="is missing"):
        find_assignment(str(tmp_path))


def test_the_enclosing_assignment(place, tmp_path):
    assert enclosing_assignment(place / "checks") == place
    assert enclosing_assignment(place) == place
    assert enclosing_assignment(tmp_path) is None


def test_a_near_name_is_suggested(place, tmp_path):
    with pytest.raises(UsageError, match=r"Did you mean small\?"):
        find_assignment("smal", start=tmp_path)
    with pytest.raises(UsageError, match=r"Known: .*small"):
        find_assignment("zzz", start=tmp_path)
    with pytest.raises(UsageError, match=r"Did you mean relu\?"):
        load_assignment(place).exercise("rulu")


def test_the_kinds_of_error_are_kept_apart():
    assert issubclass(AssignmentError, UsageError)
    for one in (UsageError, UnreadableSubmission, GraderFailed):
        others = {UsageError, UnreadableSubmission, GraderFailed} - {one}
        assert not any(issubclass(one, other) for other in others)
