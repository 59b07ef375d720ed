"""Names, source, errors and output that want to be more than text on a page."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from msgspec import structs

from grader.report.page import PageKit, seen_document, student_page
from tests.report.page_documents import CELLS, MIXED, SIGN, document_of
from tests.report.page_payloads import PAYLOADS, infected

KIT = PageKit()


class Elements(HTMLParser):
    """The elements of a page, in order, those that only colour code left out."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        plain = {name: value for name, value in attrs if name in ("class", "href", "id", "role")}
        if tag == "code" or (tag == "span" and re.fullmatch("[kfscmbd]", plain.get("class", ""))):
            return
        self.found.append((tag, tuple(sorted(name for name, _ in attrs)), tuple(plain.items())))

    def handle_comment(self, data):
        self.found.append(("comment", data, ()))

    def handle_decl(self, decl):
        self.found.append(("declaration", decl, ()))


def page(text):
    report, tests, cells = infected(text)
    return student_page(seen_document(document_of(report, tests), {}), cells, kit=KIT)


@pytest.mark.parametrize("name", PAYLOADS)
def test_text_makes_no_element_and_no_attribute(name):
    harmless = Elements(page("harmless")).found
    assert Elements(page(PAYLOADS[name])).found == harmless


@pytest.mark.parametrize("name", PAYLOADS)
def test_nothing_that_cannot_be_seen_is_left(name):
    text = page(PAYLOADS[name])
    unseen = re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200f\u2028-\u202e\u2066-\u2069]", text)
    assert not unseen
    text.encode()


def test_each_place_really_says_it():
    text = page("<b>")
    for letter in "abcdfghijkmnopst":  # e, l and q give way to others that are known
        assert re.search(rf"\b{letter} &lt;b&gt;", text, re.IGNORECASE), letter
    assert "The &lt;b&gt; of x" in text
    assert "1337" not in page(PAYLOADS["template"])


def test_a_hint_that_is_markup_stays_text_in_code():
    found = structs.replace(SIGN, hints=("try `<b onclick=alert(1)>`",))
    entry = structs.replace(MIXED.exercises[0], findings=(found,))
    report = structs.replace(MIXED, exercises=(entry,))
    text = student_page(seen_document(document_of(report), {}), CELLS, kit=KIT)
    assert "try <code>&lt;b onclick=alert(1)&gt;</code>" in text
