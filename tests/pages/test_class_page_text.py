"""The class page as text, and what it counts. GOLDEN=write in the environment writes it anew."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from pathlib import Path

from grader.report.class_page import figures
from grader.report.class_page.page import class_page
from grader.report.class_page.records import (
    Cell,
    Check,
    ClassRecords,
    Decision,
    Handed,
    Mistake,
    Stop,
    Voided,
)

GOLDEN = Path(__file__).with_name("golden") / "class_page.html"
NOON = 1_700_000_000.0

FULL, HALF = Cell(2, 2, "passed"), Cell(1, 2, "partial")
ZERO, UNTRIED = Cell(0, 2, "failed"), Cell(0, 2, "not_attempted")


def graded(name: str, first: Cell, second: Cell, **more: object) -> Handed:
    return Handed(
        name,
        "graded",
        href=f"reports/{name}.html",
        score=first.score + second.score,
        max_score=4,
        cells=(first, second),
        **more,  # type: ignore[arg-type]
    )


LEAKY, ASCENT = Mistake("relu", "relu-leaky"), Mistake("sgd", "gradient-ascent")
UNNAMED = Mistake("sgd", "")
CLASS = ClassRecords(
    name="invented",
    title="An invented class",
    exercises=("relu", "sgd"),
    max_scores=(2, 2),
    handed=(
        graded("alder", FULL, FULL, names=("Invented Zo", "Invented Ann"), also=("zo@x.invalid",)),
        graded("birch", HALF, FULL, mistakes=(LEAKY,), overridden=True),
        graded("cedar", ZERO, HALF, mistakes=(LEAKY, ASCENT), late=True, before=3.5),
        graded("elm", FULL, UNTRIED, review=("the source reaches for frames (elm.py, line 3)",)),
        graded("fir", FULL, ZERO, mistakes=(UNNAMED,), stops=(Stop("sgd", "it did not finish"),)),
        Handed("hazel", "unreadable", cells=(None, None), why="line 9 is no valid Python"),
        Handed("larch", "grader_failed", cells=(None, None), why="a process ended"),
        Handed("maple", "missing", cells=(None, None), earlier=("maple_old.py",)),
    ),
    checks=(
        Check("checks/test_relu.py::test_values", "keeps what is positive", "relu", False, 1, 5, 3),
        Check("hidden/test_sgd.py::test_step", "takes the step", "sgd", True, 1, 4, 1),
        Check("hidden/test_sgd.py::test_rate", "takes other rates", "sgd", True, 1, 4, 4),
        Check("hidden/test_sgd.py::test_bad", "a bad check", "sgd", True, 1, 4, 0, voided=True),
    ),
    titles={"relu-leaky": "some of it leaks", "gradient-ascent": "the step goes uphill"},
    decisions=(
        Decision("birch", "sgd", 2, "", 1, "Right after all.", "ta", NOON + 86_400),
        Decision("birch", "sgd", 1.5, "", 1, "Half right.", "ta", NOON, holds=False),
        Decision("gone", "relu", None, "relu-leaky", None, "No leak.", "ta", NOON),
    ),
    voids=(Voided("hidden/test_sgd.py::test_bad", "a bad check", "Too hard.", "ta", NOON),),
    states=2,
    complete=False,
    graded=NOON,
)


def test_golden() -> None:
    text = normalised(class_page(CLASS))
    if os.environ.get("GOLDEN") == "write":
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


def normalised(page: str) -> str:
    """Without what looks and behaviour are made of: other tests see those at work."""
    page = re.sub(r"(?s)<(style|script)>.*?</\1>", r"<\1>...</\1>", page)
    return re.sub(r"sha256-[\w+/=]+", "sha256-...", page)


def test_the_policy_names_what_stands_in_the_page() -> None:
    page = class_page(CLASS)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    for tag in ("style", "script"):
        (text,) = re.findall(rf"(?s)<{tag}>(.*?)</{tag}>", page)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src &#39;sha256-{digest}&#39;" in policy[1]


def test_a_class_nobody_handed_in_for() -> None:
    empty = ClassRecords("invented", "An invented class", ("relu",), (2,), ())
    page = class_page(empty)
    assert "Nothing was handed in." in page
    assert "<dd>none</dd>" in page


def test_the_class_at_a_glance() -> None:
    assert figures.summary(CLASS) == figures.Summary(8, 5, 1, 2, 4)


def test_the_distribution_counts_everybody_with_a_verdict_once() -> None:
    def one(score: float, most: float) -> Handed:
        return Handed("x", "graded", score=score, max_score=most)

    scores = [(0, 10), (0.7, 7), (7, 10), (6.999, 10), (9, 10), (10, 10), (1, 3), (11, 10)]
    handed = tuple(one(*pair) for pair in scores)
    handed += (one(0, 0), Handed("y", "unreadable"), Handed("z", "missing"))
    bars = figures.distribution(ClassRecords("n", "t", (), (), handed))
    assert [bar.count for bar in bars] == [1, 1, 0, 1, 0, 0, 1, 1, 0, 3]
    assert [(bar.low, bar.high) for bar in bars][::9] == [(0, 10), (90, 100)]


def test_exercises_are_counted_by_how_they_went() -> None:
    relu, sgd = figures.exercises(CLASS)
    assert relu.counts == (3, 1, 1, 0)
    assert sgd.counts == (2, 1, 1, 1)
    assert (relu.mean, sgd.mean) == (7 / 5, 5 / 5)


def test_mistakes_are_counted_by_submission() -> None:
    twice = graded("oak", ZERO, ZERO, mistakes=(LEAKY, LEAKY, Mistake("sgd", "relu-leaky")))
    records = ClassRecords("n", "t", ("relu", "sgd"), (2, 2), (*CLASS.handed, twice))
    first, second = figures.mistakes(records)
    assert (first.slug, first.count, second.slug, second.count) == (
        ("relu-leaky", 3, "gradient-ascent", 1)
    )
    where = {exercise: [one.id for one in people] for exercise, people in first.where}
    assert where == {"relu": ["birch", "cedar", "oak"], "sgd": ["oak"]}
    assert [one.id for one in figures.unnamed(records).where[0][1]] == ["fir"]


def test_the_hardest_check_goes_first_and_a_voided_one_nowhere() -> None:
    assert [check.title for check in figures.hardest(CLASS.checks)] == [
        "takes the step",
        "keeps what is positive",
    ]
