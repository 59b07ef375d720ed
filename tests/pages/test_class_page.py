"""OUT/index.html in a real browser: what a TA does with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from invented_class import EXERCISES, invent

from grader.classroom.class_page import write_class_page
from grader.report.class_page.page import MOST_OPEN

expect = pytest.importorskip("playwright.sync_api").expect
COUNT, MANY = 50, 90
AT_ONCE = 50  # rows that the page shows before anybody scrolls
WIDTHS = (360, 768, 1280)


def written(folder: Path, count: int) -> Path:
    """The page of an invented class with decisions, and a report that each row can lead to."""
    with invent(folder, count) as store:
        (folder / "reports").mkdir()
        for name, _ in store.expected():
            if store.result(name) is not None:
                (folder / "reports" / f"{name}.html").write_text("<title>A report</title>")
        store.override("u00001", "sgd", 2.0, "The second step was right.")
        store.void("hidden/test_train.py::test_3", "Nobody could learn from that start.")
        return write_class_page(store)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("class") / "out", COUNT)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of more than the page shows at once."""
    return written(tmp_path_factory.mktemp("class") / "out", MANY)


def choose(page: Any, label: str, value: str) -> None:
    page.get_by_role("combobox", name=label).select_option(value)


def count(page: Any) -> str:
    return str(page.locator("#shown").inner_text())


def column(page: Any, place: int) -> list[str]:
    """The text of a column's cells, from the top of the table, as the page has it now."""
    cells: list[str] = page.evaluate(
        "place => [...document.querySelectorAll('#class tbody tr')]"
        ".map(row => row.cells[place].textContent.trim())",
        place,
    )
    return cells


def points(cells: list[str]) -> list[float]:
    return [float(cell.split("/")[0]) for cell in cells if "/" in cell]


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (360, True)], ids=["light", "dark"])
def test_axe_finds_nothing(
    open_page: Any, axe: Callable[[Any], list[str]], file: Path, width: int, dark: bool
) -> None:
    page = open_page(file, width=width, dark=dark)
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    assert axe(page) == []


def test_the_html_is_valid(validate_html: Callable[[str], list[str]], file: Path) -> None:
    assert validate_html(file.read_text(encoding="utf-8")) == []


def test_the_page_never_scrolls_sideways(open_page: Any, file: Path) -> None:
    page = open_page(file)
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_on_a_phone_the_name_stays_in_view_while_the_table_scrolls(
    open_page: Any, file: Path
) -> None:
    page = open_page(file, width=360, height=740)
    board, name = page.locator("#board"), page.locator("#class tbody th").first
    before = name.bounding_box()["x"]
    board.evaluate("board => board.scrollLeft = 300")
    assert board.evaluate("board => board.scrollLeft") == 300
    assert name.bounding_box()["x"] == before


def test_dark_is_dark_and_light_is_light(open_page: Any, file: Path) -> None:
    def shades(dark: bool) -> tuple[int, int]:
        found = open_page(file, dark=dark).evaluate(
            "['backgroundColor', 'color'].map(name => +getComputedStyle(document.body)[name]"
            ".match(/\\d+/)[0])"
        )
        return found[0], found[1]

    paper, ink = shades(False)
    night, chalk = shades(True)
    assert paper > 240 > 60 > ink
    assert night < 60 < 200 < chalk


def test_sorting_by_points(open_page: Any, file: Path) -> None:
    page = open_page(file)
    head = page.locator("#class thead th").nth(1)
    assert head.get_attribute("aria-sort") is None
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert page.locator("[aria-sort]").count() == 1
    assert count(page) == f"{COUNT} submissions, sorted by Points, descending"
    falling = points(column(page, 1))
    assert COUNT - 10 < len(falling) < COUNT
    assert falling == sorted(falling, reverse=True)
    assert "/" not in column(page, 1)[-1]

    head.get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert points(column(page, 1)) == falling[::-1]
    assert "/" not in column(page, 1)[-1], "who has no points is no better than who has few"


def test_sorting_by_name_counts_numbers_as_numbers(open_page: Any, file: Path) -> None:
    page = open_page(file)
    head = page.locator("#class thead th").first
    assert head.get_attribute("aria-sort") == "ascending"
    before = column(page, 0)
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    head.get_by_role("button").click()
    again = column(page, 0)
    assert again[0] == before[0]
    birches = [int(cell.split("Birch ")[1][:4]) for cell in again if "Birch" in cell]
    assert len(birches) > 4
    assert birches[:5] == sorted(birches)[:5]


def test_searching(open_page: Any, file: Path) -> None:
    page = open_page(file)
    assert count(page) == f"{COUNT} submissions"
    search = page.get_by_label("Search")
    search.fill("invented-17@class.invalid")  # an address stands in no cell
    assert count(page) == f"1 of {COUNT} submissions"
    assert column(page, 0) == [cell for cell in column(page, 0) if "u00017" in cell]
    search.fill("  ÉLM   invented ")
    assert len(column(page, 0)) == COUNT // 10
    assert all("Elm" in cell for cell in column(page, 0))
    search.fill("nobody at all")
    assert column(page, 0) == []
    assert count(page) == f"0 of {COUNT} submissions"
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#shown")).to_have_text(f"{COUNT} submissions")


def test_enter_in_the_search_field_leaves_the_page_alone(open_page: Any, file: Path) -> None:
    page = open_page(file)
    page.get_by_label("Search").fill("Oak")
    page.keyboard.press("Enter")
    assert page.url == file.as_uri()
    assert all("Oak" in cell for cell in column(page, 0))


def test_filtering(open_page: Any, file: Path) -> None:
    page = open_page(file)
    choose(page, "Status", "unreadable")
    assert set(column(page, 1)) == {"unreadable"}
    unreadable = len(column(page, 1))
    assert count(page) == f"{unreadable} of {COUNT} submissions"
    assert f"unreadable ({unreadable})" in page.locator("#status").inner_text()
    choose(page, "Mark", "late")
    assert len(column(page, 1)) < unreadable, "filters add up"
    choose(page, "Status", "")
    assert all("late" in cell for cell in column(page, len(EXERCISES) + 3))


def test_a_mistake_leads_to_those_who_made_it(open_page: Any, file: Path) -> None:
    page = open_page(file)
    fold = page.locator("[data-mistake]").first
    slug = fold.get_attribute("data-mistake")
    holders = int(fold.locator("summary .n").inner_text())
    link = fold.locator("a").first
    assert not link.is_visible()
    fold.locator("summary").focus()
    page.keyboard.press("Enter")
    assert link.is_visible()
    assert {one.get_attribute("href") for one in fold.locator("a").all()} <= {
        f"reports/u{number:05}.html" for number in range(1, COUNT + 1)
    }
    page.get_by_label("Search").fill("left over from before")
    fold.get_by_role("button", name="Only these in the table").click()
    assert page.get_by_role("combobox", name="Mistake").input_value() == slug
    rows = column(page, len(EXERCISES) + 2)
    assert len(rows) == holders
    assert all(slug in cell.split() for cell in rows)
    link.click()
    assert page.title() == "A report"


def test_more_rows_come_with_scrolling_and_all_with_the_button(open_page: Any, many: Path) -> None:
    page = open_page(many)
    assert len(column(page, 0)) == AT_ONCE
    assert count(page) == f"{MANY} submissions"
    page.locator("#board").evaluate("board => board.scrollTop = board.scrollHeight")
    expect(page.locator("#class tbody tr")).to_have_count(MANY)
    assert not page.locator("#all").is_visible()
    head = page.locator("#class thead th").nth(1).get_by_role("button")
    head.click()
    assert len(column(page, 0)) == AT_ONCE
    page.get_by_role("button", name=f"Show all {MANY}").click()
    falling = points(column(page, 1))
    assert len(column(page, 0)) == MANY
    assert falling == sorted(falling, reverse=True)


def test_it_can_be_used_without_a_mouse(open_page: Any, file: Path) -> None:
    """Everything that can be clicked is reached with Tab, and shows that it is there."""
    page = open_page(file)
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = false)")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.locator("#tools input").focus()
    reached = []
    for _ in range(30):
        page.keyboard.press("Tab")
        outline, what = page.evaluate(
            "() => [getComputedStyle(document.activeElement).outlineStyle,"
            " document.activeElement.textContent.trim().slice(0, 20)]"
        )
        assert outline != "none", what
        reached.append(what)
    assert {"Clear", "Points", "train", "Marks", "Invented Alder 0010"} <= set(reached)


def test_printed_it_has_everything_but_the_tools(open_page: Any, many: Path) -> None:
    page = open_page(many, dark=True)
    page.emulate_media(media="print")
    assert not page.get_by_label("Search").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    fold = page.locator("[data-mistake]").first
    assert fold.get_attribute("open") is None
    assert fold.locator("a").first.is_visible(), "folds are open on paper"
    assert not fold.get_by_role("button").is_visible()
    page.set_viewport_size({"width": 718, "height": 1040})  # A4 without its margins
    assert page.evaluate("document.documentElement.scrollWidth") == 718
    paper = page.pdf(format="A4")
    assert paper.startswith(b"%PDF")
    assert len(column(page, 0)) == MANY, "all rows are printed"


def test_without_its_script_it_can_be_read(open_page: Any, many: Path) -> None:
    page = open_page(many, script=False)
    assert not page.locator("#tools").is_visible()
    assert page.locator("#class tbody tr").count() == MANY
    assert page.locator("#class tbody tr").last.is_visible()
    assert page.locator("#class thead button").count() == 0
    page.locator("[data-mistake] summary").first.click()
    assert page.locator("[data-mistake] a").first.is_visible()


def test_what_needs_a_person_stands_apart(open_page: Any, file: Path) -> None:
    page = open_page(file)
    parts = ("faults", "look", "unreadable", "missing", "stopped", "earlier")
    for name in parts:
        part = page.locator(f"#{name}")
        lines = part.locator("li").count()
        assert lines == int(part.locator(".count").inner_text()) > 0
        assert (part.get_attribute("open") is not None) == (lines <= MOST_OPEN)
    assert "line 9 is no valid Python" in page.locator("#unreadable").inner_text()
    assert page.locator("#missing a").count() == 0, "nothing to link to"
    assert "The second step was right." in page.get_by_label("Table of decisions").inner_text()
    assert "Staff only" in page.locator("header").inner_text()
