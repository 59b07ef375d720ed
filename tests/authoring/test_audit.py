"""`grade audit`: what it finds on a small assignment, what it concludes, how it shows that."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.assignment import load_assignment
from grader.authoring.audit import (
    BROKEN,
    FAILED_RIGHT,
    FREE,
    LOST_ELSEWHERE,
    NO_NAME,
    NOT_CAUGHT,
    NOT_STUB,
    ORACLES,
    SURVIVED,
    WRONG_NAME,
    Audit,
    conclude,
)
from grader.authoring.audit_pool import grade_all
from grader.authoring.audit_records import CheckSeen, ExerciseSeen, Seen, Task
from grader.authoring.audit_table import audit_table
from grader.authoring.audit_tasks import expected_of, make_tasks, mutants_of
from grader.authoring.mutants import Mutant
from grader.errors import AssignmentError, UsageError

TOML = """
format_version = 1
title = "A small one"

[[exercise]]
name = "scaled"
signature = "scaled(x)"
points = 2

[[exercise]]
name = "shifted"
signature = "shifted(x)"
points = 2
uses = ["scaled"]
"""
STUB = '''
import torch

def scaled(x):
    """Every entry of x times 2.5."""
    raise NotImplementedError

def shifted(x):
    """What scaled gives, plus 3."""
    raise NotImplementedError
'''
REFERENCE = """
import torch

def scaled(x):
    return x * 2.5

def shifted(x):
    return scaled(x) + 3
"""
LIBRARY = """
import torch

def scaled(x):
    return torch.mul(x, 2.5)

def shifted(x):
    return torch.add(scaled(x), 3)
"""
CHECKS = '''
import pytest
from grader import assert_gradient, assert_matches, assert_unchanged

@pytest.mark.exercise("{name}")
@pytest.mark.points(1)
def test_values(student, oracle, draw):
    """is right"""
    x = draw.normal(3, 2)
    record = student.observe.{name}(x)
    assert_matches(record.returned, oracle.{name}(x))
    assert_unchanged(record)

@pytest.mark.exercise("{name}")
@pytest.mark.points(1)
def test_gradient(student, oracle, draw):
    """lets gradients through"""
    assert_gradient(student.{name}, oracle.{name}, draw.normal(2, 2))
'''
WEAK = '''
import pytest
from grader import assert_tensor

@pytest.mark.exercise("shifted")
@pytest.mark.points(2)
def test_shape(student, draw):
    """keeps the shape"""
    x = draw.normal(3, 2)
    got = student.shifted(x)
    assert_tensor(got)
    assert got.shape == x.shape
'''


def small_assignment(root: Path) -> Path:
    """An assignment `small` with solutions and good checks, below `root`."""
    files = {
        "assignments/small/assignment.toml": TOML,
        "assignments/small/small.py": STUB,
        "assignments/small/library_pieces.py": LIBRARY,
        "assignments/small/checks/test_scaled.py": CHECKS.format(name="scaled"),
        "assignments/small/checks/test_shifted.py": CHECKS.format(name="shifted"),
        "solutions/small/reference.py": REFERENCE,
        "solutions/small/right/halves.py": REFERENCE.replace("x * 2.5", "x * 5 / 2"),
        "solutions/small/wrong/cut.py": "# expect: scaled: graph-cut"
        + REFERENCE.replace("x * 2.5", "x.detach() * 2.5"),
        "solutions/small/wrong/other.py": "# expect: shifted: none"
        + REFERENCE.replace("+ 3", "+ 3 + torch.sin(40 * x)"),
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.lstrip(), encoding="utf-8")
    return root / "assignments" / "small"


def run_audit(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "grader", "audit", "small", "--isolation", "process", *arguments],
        cwd=root,
        env={k: v for k, v in os.environ.items() if k != "GRADE_SOLUTIONS"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_good_checks_let_nothing_through(tmp_path: Path) -> None:
    small_assignment(tmp_path)
    ran = run_audit(tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "Nothing gets through." in ran.stdout
    assert "1 of 1 names right" in ran.stdout
    assert "1 reference, 1 library, 1 stub, 1 right, 2 wrong, " in ran.stdout
    assert max(map(len, ran.stdout.splitlines())) <= 100
    assert "\x1b" not in ran.stdout


def test_a_weak_check_is_found(tmp_path: Path) -> None:
    path = small_assignment(tmp_path)
    (path / "checks" / "test_shifted.py").write_text(WEAK, encoding="utf-8")
    ran = run_audit(tmp_path, "-e", "shifted")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    # The wrong submission, a changed constant, and an answer that does nothing.
    assert f"{NOT_CAUGHT}: 1\n  other.py, shifted" in ran.stdout
    survivors = ran.stdout.partition(f"{SURVIVED}: ")[2]
    assert "change-constant, shifted" in survivors
    assert "zeros-like, shifted" in ran.stdout
    assert "scaled: " not in ran.stdout
    assert "cut.py" not in ran.stdout


def test_without_solutions_there_is_nothing_to_audit(tmp_path: Path) -> None:
    path = small_assignment(tmp_path)
    (tmp_path / "solutions" / "small" / "reference.py").unlink()
    assert run_audit(tmp_path).returncode == 2
    (tmp_path / "solutions").rename(tmp_path / "elsewhere")
    ran = run_audit(tmp_path)
    assert ran.returncode == 2
    assert "--solutions" in ran.stderr
    with pytest.raises(UsageError, match="solutions"):
        grade_all(load_assignment(path), [], jobs=1)


def test_checks_that_cannot_be_collected_are_the_authors_error(tmp_path: Path) -> None:
    path = small_assignment(tmp_path)
    more = CHECKS.format(name="scaled").replace("points(1)", "points(7)")
    (path / "checks" / "test_scaled.py").write_text(more, encoding="utf-8")
    task = Task("reference", "reference.py", str(tmp_path / "solutions/small/reference.py"))
    with pytest.raises(UsageError, match="the checks of scaled add up to 14"):
        grade_all(load_assignment(path), [task], jobs=1, isolation="process")


def test_tasks_of_one_exercise(tmp_path: Path) -> None:
    assignment = load_assignment(small_assignment(tmp_path))
    made = mutants_of(assignment, ["shifted"])
    tasks = make_tasks(assignment, made, ["shifted"], tmp_path)
    assert {mutant.function for mutant in made} == {"shifted"}
    assert [t.name for t in tasks if t.kind == "wrong"] == ["other.py"]
    # What it is built on runs too: else nothing could stand in for it.
    assert {t.only for t in tasks if t.kind == "wrong"} == {("scaled", "shifted")}
    mutant = next(t for t in tasks if t.kind == "mutant")
    assert Path(mutant.path).read_text() == made[0].source
    assert not any(t.both_oracles for t in tasks)
    whole = make_tasks(assignment, [], [], tmp_path)
    assert {t.kind for t in whole if t.both_oracles} == {"reference", "right", "wrong"}


@pytest.mark.parametrize(
    ("line", "due"),
    [
        ("# expect: a: some-slug", {"a": "some-slug"}),
        ("#expect: a: none, b: other", {"a": "", "b": "other"}),
    ],
)
def test_expectations(tmp_path: Path, line: str, due: dict[str, str]) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(f"\ufeff{line}\r\nx = 1\r\n", encoding="utf-8", newline="")
    assert expected_of(path) == due


@pytest.mark.parametrize(
    "line", ["x = 1", "# expect:", "# expect: a", "# expect: a: b, c", "# a: b"]
)
def test_expectations_that_say_nothing(tmp_path: Path, line: str) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(AssignmentError, match="first line"):
        expected_of(path)


CHECK = "checks/test_a.py::test_one"
OTHER = "checks/test_a.py::test_two"


@dataclass
class Case:
    task: Task
    seen: Seen


def seen(one: float = 1.0, two: float = 1.0, b: float = 1.0, **more: object) -> Seen:
    """Exercise `a` with two checks of a point each, `b` with one."""
    names = more.pop("names", ())
    status = "passed" if one + two == 2 else str(more.pop("status", "partial"))
    return Seen(
        checks={
            CHECK: CheckSeen("a", "is one", 1.0, one, False),
            OTHER: CheckSeen("a", "is two", 1.0, two, False),
            "checks/test_b.py::test_b": CheckSeen("b", "is b", 1.0, b, False),
        },
        exercises={
            "a": ExerciseSeen(one + two, 2.0, status, names, "what happened"),  # type: ignore[arg-type]
            "b": ExerciseSeen(b, 1.0, "passed" if b else status),
        },
        **more,  # type: ignore[arg-type]
    )


def concluded(
    *cases: Case, made: tuple[Mutant, ...] = (), only: tuple[str, ...] = ("a", "b")
) -> Audit:
    return conclude("small", only, [c.task for c in cases], [c.seen for c in cases], made)


def wrong(due: dict[str, str]) -> Task:
    return Task("wrong", "w.py", "w.py", expected=due)


def mutant(equivalent: str = "") -> Mutant:
    return Mutant("change-sign", "a", 3, "line 3: x became -x", "source", equivalent)


@pytest.mark.parametrize(
    ("case", "headings"),
    [
        (Case(Task("right", "r.py", ""), seen()), []),
        (Case(Task("right", "r.py", ""), seen(one=0)), [FAILED_RIGHT]),
        (Case(Task("library", "l.py", ""), seen(b=0)), [FAILED_RIGHT]),
        (Case(Task("reference", "r.py", ""), seen(error="the grader failed")), [BROKEN]),
        (Case(Task("stub", "s.py", ""), seen(0, 0, 0, status="not_attempted")), []),
        (Case(Task("stub", "s.py", ""), seen(0, 0, 0, status="failed")), [NOT_STUB, NOT_STUB]),
        (Case(wrong({"a": "slug"}), seen(one=0, names=("slug",))), []),
        (Case(wrong({"a": ""}), seen(one=0)), []),
        (Case(wrong({"a": "slug"}), seen()), [NOT_CAUGHT]),
        (Case(wrong({"a": "slug"}), seen(one=0)), [NO_NAME]),
        (Case(wrong({"a": "slug"}), seen(one=0, names=("other",))), [WRONG_NAME]),
        (Case(wrong({"a": "slug"}), seen(one=0, names=("slug", "other"))), [WRONG_NAME]),
        (Case(wrong({"a": ""}), seen(one=0, names=("other",))), [WRONG_NAME]),
        (Case(wrong({"a": "slug"}), seen(one=0, b=0, names=("slug",))), [LOST_ELSEWHERE]),
        (Case(Task("right", "r.py", ""), seen(public={CHECK: 1.0, OTHER: 0.0})), [ORACLES]),
        (Case(Task("degenerate", "identity", ""), seen(0, 0, 0)), []),
        (Case(Task("degenerate", "identity", ""), seen(1, 0, 0)), [FREE]),
    ],
)
def test_problems(case: Case, headings: list[str]) -> None:
    found = concluded(case)
    assert [problem.heading for problem in found.problems] == headings
    assert found.passed == (not headings)


def test_problems_in_other_exercises_are_not_this_audits() -> None:
    case = Case(wrong({"a": "slug", "b": "slug"}), seen(one=0, names=("slug",)))
    assert concluded(case, only=("a",)).passed
    assert not concluded(case).passed


def test_mutants_and_check_scores() -> None:
    task = Task("mutant", "m", "")
    found = concluded(
        Case(task, seen(one=0)),
        Case(task, seen(one=0, two=0, names=("slug",))),
        Case(task, seen()),
        Case(task, seen()),
        Case(wrong({"a": ""}), seen(two=0)),
        made=(mutant(), mutant(), mutant(), mutant("x is zero")),
    )
    assert [problem.heading for problem in found.problems] == [SURVIVED]
    first, second, third = found.scores
    assert (first.mutants, first.caught, first.alone) == (3, 2, 1)
    assert (second.mutants, second.caught, second.alone) == (3, 1, 0)
    assert (second.wrong, second.wrong_caught, second.wrong_alone) == (1, 1, 1)
    assert (third.exercise, third.mutants) == ("b", 0)
    text = audit_table(found, color=False)
    assert f"{SURVIVED}: 1\n  change-sign, a\n      line 3: x became -x" in text
    assert "2 of 3 mutants caught, 1 equivalent" in text
    assert "x is zero" in text
    assert "slug 1, no name 1" in text


def test_an_equivalent_mutant_that_is_caught_is_listed_as_such() -> None:
    found = concluded(Case(Task("mutant", "m", ""), seen(one=0)), made=(mutant("x is zero"),))
    text = audit_table(found, color=False)
    assert found.passed
    assert "Called equivalent, and yet caught" in text
    assert "Equivalent mutants" not in text


def test_a_few_names_may_be_missing() -> None:
    named = [Case(wrong({"a": "slug"}), seen(one=0, names=("slug",)))] * 33
    missing = [Case(wrong({"a": "slug"}), seen(one=0))]
    assert concluded(*named, *missing).passed
    few = concluded(*named[:5], *missing)
    assert not few.passed
    assert "Too many names are missing." in audit_table(few, color=False)


def test_table_has_a_line_a_mutant_when_asked() -> None:
    cases = [Case(Task("mutant", "m", ""), seen(one=0)), Case(Task("mutant", "m", ""), seen())]
    found = concluded(*cases, made=(mutant(), mutant()))
    text = audit_table(found, every_mutant=True, color=False)
    rows = [line.split() for line in text.splitlines() if line.startswith("change-sign ")]
    assert [row[-1] for row in rows] == ["test_one", "NOTHING"]
    assert "\x1b" in audit_table(found, color=True)
