"""The browser itself: that its fixtures see what they are there to see."""

from __future__ import annotations

from typing import Any

import pytest

BARE = "<!doctype html><html lang='en'><title>A page</title><main><h1>A page</h1>{}</main></html>"


@pytest.mark.parametrize(
    ("inside", "problem"),
    [
        ("<script>console.error('oh')</script>", "console: oh"),
        ("<script>throw new Error('oh')</script>", "error: oh"),
        ("<script>alert('oh')</script>", "dialog: oh"),
        ("<img alt='' src='http://example.org/a.png'>", "request: http://example.org/a.png"),
        ("<script src='beside.js'></script>", "request: file:"),
    ],
)
def test_what_a_page_may_not_do_is_noted(open_page: Any, inside: str, problem: str) -> None:
    open_page(BARE.format(inside))
    assert any(found.startswith(problem) for found in open_page.problems)
    open_page.problems.clear()


def test_a_silent_page_passes(open_page: Any) -> None:
    seen = open_page(BARE.format("<img alt='' src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>"))
    assert seen.title() == "A page"


def test_axe_sees_faults_under_a_strict_policy(open_page: Any, axe: Any) -> None:
    policy = "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">"
    assert axe(open_page(BARE.format("<p>Fine.</p>"))) == []
    found = axe(open_page(policy + BARE.format("<button></button>")))
    assert any(line.startswith("button-name (critical)") for line in found)


def test_html_is_validated(validate_html: Any) -> None:
    head = '<!doctype html>\n<html lang="en"><head><title>A</title></head>'
    assert validate_html(f"{head}<body><p>A</p></body></html>") == []
    assert any("close-order" in line for line in validate_html("<p><b>a</p></b>"))
