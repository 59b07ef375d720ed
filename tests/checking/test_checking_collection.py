"""Checks as pytest collects them, and what is wrong with an assignment's checks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from checking_students import CHECKS, TOML, collected, write_assignment

from grader.assignment import load_assignment
from grader.checking.collection import HIDDEN, VISIBLE, Bench, Check, with_checks
from grader.errors import AssignmentError, GraderFailed

HIDDEN_TOML = TOML.replace("points = 1", "points = 3")
HIDDEN_CHECK = '''
import pytest

@pytest.mark.exercise("logistic")
@pytest.mark.points(2)
def test_hidden(student, support):
    """is as good elsewhere

    'Another sentence.'
    """
'''


def broken(place: Path) -> AssignmentError:
    """The error that collecting raises; the body is never reached."""

    def body(checks: list[Check], bench: Bench, config: pytest.Config) -> None:
        raise AssertionError("collected all the same")

    with pytest.raises(AssignmentError) as caught:
        with_checks(load_assignment(place), body)
    return caught.value


def test_what_a_check_says_of_itself(tmp_path):
    _, checks = collected(write_assignment(tmp_path))
    first = checks[0]
    assert (first.exercise, first.points, first.visibility) == ("relu", 1.0, VISIBLE)
    assert first.id == "checks/test_all.py::test_relu_values"
    assert first.title == "keeps what is positive"
    assert first.demands == "The sentence of the handout that asks for it."
    (untitled,) = [check for check in checks if check.exercise == "logistic"]
    assert (untitled.title, untitled.demands) == ("test_logistic", "")


def test_they_come_in_the_order_of_the_exercises_public_ones_first(tmp_path):
    turned = CHECKS.split("\n\n\n")
    place = write_assignment(
        tmp_path, toml=HIDDEN_TOML, hidden={"test_a.py": HIDDEN_CHECK},
        checks={"test_all.py": "\n\n\n".join([turned[0], *reversed(turned[1:])]),
                "conftest.py": SUPPORT},
    )  # fmt: skip
    _, checks = collected(place)
    assert [check.exercise for check in checks] == [
        "relu", "relu", "logistic", "logistic", "forward", "forward",
    ]  # fmt: skip
    assert [check.visibility for check in checks[2:4]] == [VISIBLE, HIDDEN]
    assert checks[3].id == "hidden/test_a.py::test_hidden"
    assert checks[3].demands == "Another sentence."


SUPPORT = """
import pytest

@pytest.fixture
def support():
    return 1
"""


def test_public_checks_alone_may_be_worth_less(tmp_path):
    assignment, checks = collected(write_assignment(tmp_path, toml=HIDDEN_TOML))
    assert assignment.hidden_checks is None
    assert sum(check.points for check in checks) == 5
    assert assignment.exercise("logistic").points == 3


@pytest.mark.parametrize(
    ("toml", "hidden"),
    [
        (TOML.replace("points = 1", "points = 0.5"), None),
        (HIDDEN_TOML.replace("points = 3", "points = 4"), {"test_a.py": HIDDEN_CHECK}),
        (HIDDEN_TOML.replace("points = 3", "points = 2.5"), {"test_a.py": HIDDEN_CHECK}),
    ],
)
def test_points_that_do_not_add_up(toml, hidden, tmp_path):
    place = write_assignment(
        tmp_path, toml=toml, hidden=hidden,
        checks={"test_all.py": CHECKS, "conftest.py": SUPPORT},
    )  # fmt: skip
    error = broken(place)
    assert error.path == str(place / "assignment.toml")
    assert error.key == "exercise logistic: points"
    assert "add up to" in error.why


@pytest.mark.parametrize(
    ("before", "after", "item", "why"),
    [
        ('exercise("logistic")', 'exercise("sigmoid")', "test_logistic", "sigmoid is no exercise"),
        ('@pytest.mark.exercise("logistic")\n', "", "test_logistic", "no exercise(...) mark"),
        ("@pytest.mark.points(1)\ndef test_logistic", "def test_logistic", "test_logistic",
         "no points(...) mark"),
        ("@pytest.mark.points(1)\ndef test_logistic",
         "@pytest.mark.points(1, 2)\ndef test_logistic", "test_logistic", "no points(...) mark"),
    ],
)  # fmt: skip
def test_marks_that_are_wrong(before, after, item, why, tmp_path):
    assert before in CHECKS
    place = write_assignment(tmp_path, checks={"test_all.py": CHECKS.replace(before, after, 1)})
    error = broken(place)
    assert error.path == str(place / "checks" / "test_all.py")
    assert (error.key, why in error.why) == (item, True), str(error)


def test_a_mark_that_nobody_declared(tmp_path):
    text = CHECKS.replace("@pytest.mark.points(1)", "@pytest.mark.point(1)", 1)
    error = broken(write_assignment(tmp_path, checks={"test_all.py": text}))
    assert "test_all.py" in str(error)
    assert "point" in str(error)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("import torhc\n", "torhc"),
        ("def test(:\n", "invalid syntax"),
        ("raise KeyError('why')\n", "why"),
    ],
)
def test_a_check_that_cannot_be_imported(text, word, tmp_path):
    place = write_assignment(tmp_path, checks={"test_all.py": CHECKS, "test_bad.py": text})
    error = broken(place)
    assert "test_bad.py" in error.path
    assert word in error.why


def test_an_oracle_that_cannot_be_run(tmp_path):
    place = write_assignment(tmp_path)
    (place / "library_pieces.py").write_text("import torhc\n", encoding="utf-8")
    error = broken(place)
    assert error.path == str(place / "library_pieces.py")
    assert "torhc" in error.why


def test_no_checks_at_all(tmp_path):
    place = write_assignment(tmp_path, checks={})
    error = broken(place)
    assert (error.path, error.why) == (str(place / "checks"), "holds no check")


def test_what_the_body_raises_comes_out(tmp_path):
    def body(checks: list[Check], bench: Bench, config: pytest.Config) -> None:
        raise GraderFailed("on purpose")

    with pytest.raises(GraderFailed, match="on purpose"):
        with_checks(load_assignment(write_assignment(tmp_path)), body)


def test_the_surroundings_do_not_matter(tmp_path, monkeypatch):
    place = write_assignment(tmp_path)
    for folder in (tmp_path, place.parent):
        (folder / "conftest.py").write_text("raise RuntimeError('read')\n", encoding="utf-8")
        (folder / "pytest.ini").write_text("[pytest]\naddopts = --no-such-thing\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-thing")
    monkeypatch.setenv("PYTEST_PLUGINS", "")
    _, checks = collected(place)
    assert len(checks) == 5
    assert os.environ["PYTEST_ADDOPTS"] == "--no-such-thing"


def test_an_item_runs_as_often_as_it_is_asked_to(tmp_path):
    place = write_assignment(tmp_path, checks={"test_all.py": CHECKS, "conftest.py": COUNTING})
    outcomes = []
    first_reports = []

    def body(checks: list[Check], bench: Bench, config: pytest.Config) -> None:
        check = checks[0]
        for _ in range(3):
            reports = check.run()
            first_reports.append(reports[0])
            outcomes.append([report.outcome for report in reports])

    with_checks(load_assignment(place), body)
    # No student was set, so the fixture fails each time: in set-up, and with a report of its own.
    assert outcomes == [["failed", "passed"]] * 3
    assert len({id(report) for report in first_reports}) == 3


COUNTING = """
import pytest

@pytest.fixture(autouse=True)
def fresh(request):
    assert not hasattr(request, "seen_before")
    request.seen_before = True
"""


def test_another_assignments_checks_of_like_names_are_its_own(tmp_path):
    first = write_assignment(tmp_path / "first")
    second = write_assignment(
        tmp_path / "second", checks={"test_all.py": CHECKS.replace("keeps what", "holds what")}
    )
    titles = [collected(place)[1][0].title for place in (first, second, first)]
    assert titles == ["keeps what is positive", "holds what is positive", "keeps what is positive"]
