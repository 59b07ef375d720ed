"""The page for a lecture: nobody is on it, and no number speaks of a few people."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from invented_class import EXERCISES, invent

from grader.classroom.class_page import records_of, write_anonymous_page
from grader.errors import UsageError
from grader.report.class_page import figures
from grader.report.class_page.anonymous import FEWEST, anonymous, anonymous_page
from grader.report.class_page.records import Cell, Check, ClassRecords, Handed, Mistake

POINTS = {"passed": 2.0, "partial": 1.0, "failed": 0.0, "not_attempted": 0.0}
SLUGS = {"relu": "relu-leaky", "sgd": "gradient-ascent"}
TITLES = {"relu-leaky": "some of it leaks", "gradient-ascent": "the step goes uphill"}

Way = tuple[str, str, bool]  # how relu went, how sgd went, whether lost points have a name


def class_of(ways: Sequence[Way]) -> ClassRecords:
    """A class with the exercises relu and sgd; each has one check."""
    handed = []
    for place, (*statuses, named) in enumerate(ways):
        cells = tuple(Cell(POINTS[status], 2, status) for status in statuses)
        mistakes = tuple(
            Mistake(exercise, SLUGS[exercise] if named else "")
            for exercise, status in zip(SLUGS, statuses, strict=True)
            if status in ("partial", "failed")
        )
        score = sum(cell.score for cell in cells)
        handed.append(
            Handed(f"s{place}", "graded", score=score, max_score=4, cells=cells, mistakes=mistakes)
        )
    checks = [
        Check(f"checks/{name}", f"does {name}", name, False, 2, len(tried), tried.count("passed"))
        for column, name in enumerate(SLUGS)
        for tried in [[way[column] for way in ways if way[column] != "not_attempted"]]
    ]
    return ClassRecords(
        "n", "An invented class", tuple(SLUGS), (2, 2), tuple(handed), tuple(checks), TITLES
    )


FINE: Way = ("passed", "passed", True)


def pages(*classes: Sequence[Way]) -> set[str]:
    return {anonymous_page(class_of(ways)) for ways in classes}


UPHILL: Way = ("passed", "failed", True)
HALF: Way = ("passed", "partial", True)
UNTRIED: Way = ("passed", "not_attempted", True)
NAMELESS: Way = ("passed", "failed", False)


def among_those_without_points(k: int) -> list[Way]:
    return [FINE] * (22 - k) + [UNTRIED] * k + [UPHILL] * 8


def between_all_points_and_none(k: int) -> list[Way]:
    return [FINE] * (22 - k) + [HALF] * k + [UPHILL] * 8


def without_a_name_for_it(k: int) -> list[Way]:
    return [FINE] * 18 + [UPHILL] * (12 - k) + [NAMELESS] * k


@pytest.mark.parametrize(
    "with_group_of",
    [
        pytest.param(lambda k: [FINE] * (30 - k) + [UPHILL] * k, id="apart"),
        pytest.param(lambda k: [UPHILL] * (30 - k) + [FINE] * k, id="the rest of nearly all"),
        among_those_without_points,
        between_all_points_and_none,
        without_a_name_for_it,
    ],
)
def test_a_group_under_five_is_neither_shown_nor_to_be_worked_out(
    with_group_of: Callable[[int], Sequence[Way]],
) -> None:
    """The page is the same whether nobody is in the group or four are; of seven it is another."""
    assert len(pages(*map(with_group_of, range(FEWEST)))) == 1
    assert len(pages(*map(with_group_of, (0, 7)))) == 2


def test_what_is_large_enough_is_shown() -> None:
    shown = anonymous(class_of([FINE] * 13 + [HALF] * 9 + [UPHILL] * 8))
    groups = [(group.label, group.about) for group in shown.exercises[1].groups]
    assert groups == [("full marks", 15), ("some points", 10), ("none", 10)]
    assert [(group.label, group.about) for group in shown.mistakes] == [
        ("the step goes uphill", 15)
    ]
    assert [(group.label, group.about) for group in shown.bars] == [
        ("0 to 60", 10),
        ("60 to 80", 10),
        ("80 to 100", 15),
    ]
    assert shown.exercises[0].words == "nearly everybody has full marks"


statuses = st.sampled_from([*POINTS, "passed", "passed", "failed"])
ways = st.tuples(statuses, statuses, st.booleans())


@given(st.lists(ways, min_size=FEWEST, max_size=60))
def test_every_number_is_of_five_or_more_on_both_sides(ways: list[Way]) -> None:
    records = class_of(ways)
    shown = anonymous(records)
    numbers = [shown.about]
    numbers += [group.about for one in shown.exercises for group in one.groups]
    numbers += [group.about for group in (*shown.bars, *shown.mistakes, *shown.checks)]
    assert all(number >= FEWEST and number % FEWEST == 0 for number in numbers)

    def fits(count: int) -> bool:
        return count >= FEWEST and len(ways) - count >= FEWEST

    true = {TITLES[one.slug]: one.count for one in figures.mistakes(records)}
    assert {group.label for group in shown.mistakes} == {
        title for title, count in true.items() if fits(count)
    }
    lost = {f"{one.exercise}: {one.title}": one.judged - one.full for one in records.checks}
    assert {group.label for group in shown.checks} == {
        label for label, count in lost.items() if fits(count)
    }
    shares = [figures.share(one) or 0 for one in records.handed]
    for group in shown.bars:
        low, high = (int(word) / 100 for word in group.label.split(" to "))
        within = sum(low <= part < high or part == high == 1 for part in shares)
        assert within >= FEWEST
        assert abs(within - group.about) <= 2
    for place, one in enumerate(shown.exercises):
        column = [way[place] for way in ways]
        full, some = column.count("passed"), column.count("partial")
        none = len(ways) - full - some
        sizes = {
            "full marks": full,
            "some points": some,
            "none": none,
            "less": some + none,
            "full marks or some points": full + some,
        }
        assert all(sizes[group.label] >= FEWEST for group in one.groups)
        assert not re.search(r"\d", one.words.replace(f"under {FEWEST}", ""))
    assert sum(group.about for group in shown.bars) >= FEWEST


@pytest.mark.parametrize("count", range(FEWEST))
def test_of_fewer_than_five_there_is_no_page(count: int) -> None:
    with pytest.raises(UsageError, match="fewer than 5 submissions have a verdict"):
        anonymous_page(class_of([FINE] * count))


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[ClassRecords, Path]:
    """An invented class, and its page for a lecture."""
    folder = tmp_path_factory.mktemp("class")
    with invent(folder / "out", 200) as store:
        store.override("u00002", "sgd", 2.0, "A secret reason.")
        store.void("checks/test_relu.py::test_1", "Another secret reason.")
        return records_of(store), write_anonymous_page(store, folder / "lecture.html")


def test_nobody_of_the_class_is_on_the_page(shown: tuple[ClassRecords, Path]) -> None:
    records, file = shown
    text = file.read_text(encoding="utf-8")
    for one in records.handed:
        told = (one.id, *one.names, *one.also, *one.earlier, *one.review, one.why)
        assert not [word for word in told if word and word in text]
        assert one.shown not in text
    for trace in ("@class", "href", "secret", "Your line is wrong", "<script", "reports/", ".py"):
        assert trace not in text
    titles = {check.title for check in records.checks if check.hidden}
    titles -= {check.title for check in records.checks if not check.hidden}
    assert len(titles) >= 5
    assert not [title for title in titles if title in text]
    assert "keeps what is positive" not in text, "that check was voided"
    assert all(f"<code>{name}</code>" in text for name in EXERCISES)


def test_it_is_a_good_page(
    shown: tuple[ClassRecords, Path],
    open_page: Any,
    axe: Callable[[Any], list[str]],
    validate_html: Callable[[str], list[str]],
) -> None:
    _, file = shown
    assert validate_html(file.read_text(encoding="utf-8")) == []
    for dark in (False, True):
        page = open_page(file, dark=dark)
        assert axe(page) == []
        for width in (360, 768, 1280):
            page.set_viewport_size({"width": width, "height": 740})
            assert page.evaluate("document.documentElement.scrollWidth") == width
