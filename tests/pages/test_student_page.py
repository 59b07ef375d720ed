"""A student's page in a real browser: folding, keyboard, dark, phone, paper, screen readers."""

from __future__ import annotations

from typing import Any

import pytest

from grader.report.page import PageKit, Panel, seen_document, student_page
from tests.report.page_documents import CELLS, DECIDED, DRAWN, MIXED, document_of
from tests.report.page_payloads import PAYLOADS, infected

WIDTHS = (360, 800, 1280)
PANEL = Panel("shrink", "The tape", '<svg viewBox="0 0 90 9"><path d="M0 0h90"/></svg>', "A line.")
OPEN = "document.querySelectorAll('details').forEach(one => { one.open = true })"
OVERFLOW = """
[...document.querySelectorAll('body *')].filter(one =>
  one.getBoundingClientRect().right > document.documentElement.clientWidth + 1
  && !one.closest('.unseen, .skip, svg')).map(one => one.outerHTML.slice(0, 120))
"""


@pytest.fixture(scope="module")
def kit() -> PageKit:
    return PageKit()


@pytest.fixture(scope="module")
def drawn(kit: PageKit) -> str:
    seen = seen_document(document_of(MIXED), {})
    return student_page(seen, CELLS, pictures=DRAWN, panels=[PANEL], kit=kit)


def luminance(color: str) -> float:
    red, green, blue = (float(part) for part in color.strip("rgba()").split(",")[:3])
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (360, True)])
def test_axe_finds_nothing_folded_or_open(
    open_page: Any, axe: Any, drawn: str, width: int, dark: bool
) -> None:
    page = open_page(drawn, width=width, dark=dark)
    assert axe(page) == []
    page.evaluate(OPEN)
    assert axe(page) == []


def test_html_is_valid(validate_html: Any, kit: PageKit, drawn: str) -> None:
    assert validate_html(drawn) == []
    assert validate_html(student_page(seen_document(document_of(DECIDED), {}), kit=kit)) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_reaches_beyond_the_window(open_page: Any, drawn: str, width: int) -> None:
    page = open_page(drawn, width=width)
    page.evaluate(OPEN)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(OVERFLOW) == []


def test_long_words_and_lines_fit_a_phone(open_page: Any, kit: PageKit) -> None:
    report, tests, cells = infected("a" * 300 + " " + "_".join(["long_name"] * 30))
    seen = seen_document(document_of(report, tests), {})
    page = open_page(student_page(seen, cells, kit=kit), width=360)
    page.evaluate(OPEN)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_hints_unfold_one_by_one_with_the_keyboard(open_page: Any, drawn: str) -> None:
    page = open_page(drawn, script=False)
    hints = [page.get_by_text("What is abs(-3)?"), page.get_by_text("Leave out what is not")]
    second = page.get_by_text("Hint 2 of 3")
    assert [hint.is_visible() for hint in hints] == [False, False]
    assert not second.is_visible()
    page.locator("summary", has_text="Hint 1 of 3").first.focus()
    for _ in range(3):
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
    assert [hint.is_visible() for hint in hints] == [True, True]


def test_the_first_tab_leads_past_the_head_and_everything_is_in_reach(
    open_page: Any, drawn: str
) -> None:
    page = open_page(drawn)
    page.keyboard.press("Tab")
    skip = page.locator("a.skip")
    assert skip.evaluate("one => one === document.activeElement")
    assert skip.bounding_box()["x"] >= 0
    reached = 0
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break
        reached += 1
        shown = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert shown != "none"
    # Folded hints beyond the first are out of reach until they are opened.
    seen = page.locator("a[href]:visible, summary:visible").count()
    assert reached == seen - 1


def test_a_reader_hears_landmarks_pictures_and_marked_lines(open_page: Any, drawn: str) -> None:
    page = open_page(drawn)
    assert page.get_by_role("main").count() == 1
    assert page.get_by_role("banner").count() == 1
    assert page.get_by_role("contentinfo").count() == 1
    assert page.get_by_role("region", name="What to mend").count() == 1
    assert page.get_by_role("article", name="square").count() == 1
    picture = page.get_by_role("img", name="square from -1 to 1").first
    assert "at x = -1 it gives -1, expected 1" in picture.locator("desc").text_content()
    assert page.locator("mark.line").first.text_content().strip().startswith("8")
    assert page.get_by_role("table", name="Exercises at a glance").count() == 1


def test_dark_is_dark_and_pictures_follow(open_page: Any, drawn: str) -> None:
    light, dark = open_page(drawn), open_page(drawn, dark=True)
    ground = "getComputedStyle(document.body).backgroundColor"
    text = "getComputedStyle(document.body).color"
    assert luminance(light.evaluate(ground)) > 0.9 > 0.3 > luminance(light.evaluate(text))
    assert luminance(dark.evaluate(ground)) < 0.2 < 0.7 < luminance(dark.evaluate(text))
    path = "getComputedStyle(document.querySelector('.picture path[stroke*=theirs]')).stroke"
    label = "getComputedStyle(document.querySelector('.picture text')).fill"
    for what in (path, label):
        found = light.evaluate(what), dark.evaluate(what)
        assert all(color.startswith("rgb(") for color in found)
        assert luminance(found[1]) > luminance(found[0]) + 0.2


def test_on_paper_all_is_there_but_hints_that_were_not_asked_for(
    open_page: Any, drawn: str
) -> None:
    page = open_page(drawn, dark=True)
    page.locator("summary", has_text="Hint 1 of 3").first.click()
    page.emulate_media(media="print")
    assert page.get_by_text("What is abs(-3)?").is_visible()
    assert not page.get_by_text("Look at y").is_visible()
    assert page.get_by_text("Has the right gradient").is_visible()
    assert page.get_by_text("x is tensor([1.])").is_visible()
    assert page.get_by_role("img", name="square from -1 to 1").last.is_visible()
    assert not page.locator("a.skip").is_visible()
    assert luminance(page.evaluate("getComputedStyle(document.body).color")) < 0.3
    page.emulate_media(media="screen")
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")


def test_a_link_leads_to_its_exercise(open_page: Any, drawn: str) -> None:
    page = open_page(drawn, height=500)
    page.get_by_role("link", name="shrink", exact=True).click()
    assert page.locator("#exercise-3").bounding_box()["y"] < 60
    assert page.evaluate("location.hash") == "#exercise-3"


@pytest.mark.parametrize("name", PAYLOADS)
def test_no_text_runs_or_loads_anything(open_page: Any, kit: PageKit, name: str) -> None:
    """Whatever would run, load or be refused by the page's policy is noted by `open_page`."""
    report, tests, cells = infected(PAYLOADS[name])
    panel = Panel("square", PAYLOADS[name][:200], "<p>fine</p>", PAYLOADS[name][:200])
    seen = seen_document(document_of(report, tests), {})
    page = open_page(student_page(seen, cells, panels=[panel], kit=kit))
    page.evaluate(OPEN)
    assert (
        page.evaluate("document.querySelectorAll('script, iframe, object, embed, form').length")
        == 0
    )
    assert page.evaluate("document.querySelectorAll('style').length") == 1
    assert page.get_by_role("main").is_visible()
    assert page.title().startswith("3 of 8 points")


def test_a_decided_page_says_what_counts(open_page: Any, axe: Any, kit: PageKit) -> None:
    text = student_page(seen_document(document_of(DECIDED), {}), CELLS, kit=kit)
    for secret in ("staff7", "secret_shapes", "the name is wrong", "sign-dropped"):
        assert secret not in text
    page = open_page(text)
    assert page.get_by_role("heading", name="3.5 of 6 points").is_visible()
    shrink = page.locator("#exercise-3")
    assert "1.5 of 2 points" in shrink.text_content()
    assert "shown in the exam" in shrink.text_content()
    assert page.get_by_text("A hidden check was taken out for everybody: it was wrong").is_visible()
    assert page.get_by_text("The check test_square.py::test_gradient was taken out").is_visible()
    assert axe(page) == []
