"""Names, files and messages that would like to be more than text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import msgspec
import pytest
from invented_class import check_of, graded, report

from grader.classroom.class_page import write_anonymous_page, write_class_page
from grader.classroom.intake import Entry
from grader.classroom.store import Store
from grader.people import Person
from grader.report.document import bare_document
from grader.report.model import ExerciseEntry, FindingEntry, NoteEntry

PAYLOADS = (
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)' x='",
    "javascript:alert(1)",
    "<!-- ]]> --><title>",
    "{{ 7 * 7 }}{% include 'x' %}",
    '=HYPERLINK("http://example.invalid","x")',
    "&lt;b&gt;&amp;",
    "\u202egnp.exe \u2066isolated\u2069",
    "bell\x07 null\x00 escape\x1b[31m next\x85",
    "W" * 5_000,
    "👩\u200d👩\u200d👧 \u0928\u093f \u200f\u05e2\u05d1\u05e8",
)
IDS = ("a#b?c%20d", 'quo"te', "sp ace", "am&p", "üñ 🎈", "..", "-dash", "%2e%2e")


def entry(name: str, text: str) -> Entry:
    return Entry(name, Path(f"{text}.py"), (Person(text, text, text),), superseded=(text,))


def document(name: str, text: str, status: str) -> dict[str, Any]:
    """Everything in a document that may hold what a student wrote, set to `text`."""
    note = NoteEntry("load-overrun", text, text, 1)
    if status != "graded":
        return bare_document(report(name, status, notes=(note,)))
    # A mistake's name and title, and a check's, are the assignment's; they are no exception here.
    findings = (
        FindingEntry(text[:40], text, text, {"stopped": text}, file=text, hints=(text,)),
        FindingEntry(None, text, text, {"stopped": "Died"}, file=text),
    )
    entries = (ExerciseEntry("relu", 0.0, 1.0, "failed", findings),)
    made = report(name, "graded", exercises=entries, notes=(note,), review=(text,))
    test = check_of("relu", 1, text, True, False)
    return graded(made, [msgspec.to_builtins(test)])


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile") / "out"
    names = [*IDS, *(f"id {number}" for number in range(3 * len(PAYLOADS)))]
    texts = [PAYLOADS[place % len(PAYLOADS)] for place in range(len(names))]
    statuses = ("graded", "graded", "unreadable", "grader_failed")
    with Store(folder, create=True) as store:
        store.note("assignment", "invented")
        store.note("title", PAYLOADS[1])
        store.note("exercises", "relu <b>")
        store.expect(entry(name, text) for name, text in zip(names, texts, strict=True))
        (folder / "reports").mkdir()
        for place, (name, text) in enumerate(zip(names, texts, strict=True)):
            store.save(name, "key", document(name, text, statuses[place % 4]))
            (folder / "reports" / f"{name}.html").write_text(f"<title>{place}</title>")
        for text in PAYLOADS:
            store.override(names[0], "relu", 0.5, text, rejected=text)
            store.void(text, text)
        write_class_page(store)
        write_anonymous_page(store, folder / "anonymous.html")
    return folder


def poke(page: Any) -> None:
    """Whatever could set a payload off: fold, point at, sort, search, filter."""
    page.evaluate(
        """() => {
          for (const fold of document.querySelectorAll("details")) fold.open = true;
          for (const one of document.querySelectorAll("main *"))
            for (const name of ["mouseover", "focus", "error", "load", "toggle"])
              one.dispatchEvent(new Event(name));
          for (const one of document.querySelectorAll("button")) one.click();
          for (const one of document.querySelectorAll("select")) {
            one.selectedIndex = one.options.length - 1;
            one.dispatchEvent(new Event("input", {bubbles: true}));
          }
          document.getElementById("tools")?.reset();
        }"""
    )
    page.wait_for_timeout(50)


@pytest.mark.parametrize("name", ["index.html", "anonymous.html"])
def test_payloads_stay_text(open_page: Any, out: Path, name: str) -> None:
    page = open_page(out / name)  # whose fixture fails at any dialog, error, warning or request
    poke(page)
    strange = page.evaluate(
        """() => [...document.querySelectorAll("*")].filter(one =>
          /^(IMG|IFRAME|OBJECT|EMBED|LINK|BASE|B)$/.test(one.tagName)
          || [...one.attributes].some(at => /^on|^style$/.test(at.name))
          || (one.tagName === "A" && !/^(#|reports\\/)/.test(one.getAttribute("href")))
          || (one.tagName === "SCRIPT" && !document.head.contains(one))
        ).map(one => one.outerHTML.slice(0, 100))"""
    )
    assert strange == []
    scripts = page.evaluate("document.scripts.length")
    assert scripts == (1 if name == "index.html" else 0)
    assert page.evaluate("document.querySelectorAll('title').length") == 1
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_names_read_as_they_were_written(open_page: Any, out: Path) -> None:
    page = open_page(out / "index.html")
    text = page.locator("body").inner_text()
    for payload in PAYLOADS[:10]:
        assert payload in text
    assert PAYLOADS[-1] in text, "what joins an emoji or turns a word is left alone"
    assert r"\x202egnp.exe" in text
    assert r"bell\x07 null\x00 escape\x1b[31m next\x85" in text
    assert "49" not in page.locator("#class").inner_text().split()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


def test_every_link_leads_to_its_own_report(open_page: Any, out: Path) -> None:
    page = open_page(out / "index.html")
    links = page.evaluate(
        "[...document.querySelectorAll('#class tbody a')].map(one => [one.href, one.closest('th')"
        ".querySelector('.id')?.innerText])"
    )
    assert len(links) > len(IDS)
    for address, shown in links:
        file = Path(url2pathname(urlsplit(address).path))
        assert file == out / "reports" / f"{shown}.html"
        assert file.is_file()
    row = page.locator("#class tbody tr").filter(has=page.get_by_text(IDS[0], exact=True))
    row.locator("a").click()
    assert page.title() == "0"


def test_the_policy_lets_no_other_script_run(open_page: Any, out: Path) -> None:
    page = open_page(out / "index.html")
    page.evaluate(
        """() => {
          const one = document.createElement("script");
          one.textContent = "window.ran = true";
          document.body.append(one);
          document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.ran = true'>");
          document.body.insertAdjacentHTML("beforeend", "<p style='color: red' id=styled>x</p>");
        }"""
    )
    page.wait_for_timeout(100)
    assert page.evaluate("window.ran") is None
    assert page.evaluate("document.getElementById('styled').style.length") == 0
    refused = [found for found in open_page.problems if "Content Security Policy" in found]
    assert len(refused) >= 3
    open_page.problems.clear()
    policy = page.locator("meta[http-equiv]").get_attribute("content")
    assert "unsafe" not in policy
    assert "*" not in policy
    assert policy.startswith("default-src 'none'; ")
