"""A student's page as text. GOLDEN=write in the environment writes golden texts anew."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest
from msgspec import ValidationError, structs

from grader.misconceptions.catalogue import general
from grader.report.build import versions
from grader.report.model import NoteEntry
from grader.report.page import PageKit, Panel, seen_document, student_page
from grader.report.page.words import capital
from grader.submission import Cell
from tests.report.page_documents import CELLS, DRAWN, HIDDEN, MIXED, SIGN, document_of

GOLDEN = Path(__file__).with_name("golden")
KIT = PageKit()
PLAIN = PageKit(pictures=False)


def page(report, cells=CELLS, kit=KIT, **more):
    return student_page(seen_document(document_of(report), {}), cells, kit=kit, **more)


def normalised(text):
    """Without style and drawings, a line an element."""
    text = re.sub(r"<style>.*?</style>", "<style/>", text, flags=re.DOTALL)
    text = re.sub(r"sha256-[\w+/=]+", "sha256-...", text)
    text = re.sub(r"(</desc>).*?(</svg>)", r"\1...\2", text, flags=re.DOTALL)
    return "\n".join(line.strip() for line in text.splitlines() if line.strip()) + "\n"


class Text(HTMLParser):
    """What is read, and which elements there are."""

    def __init__(self, text):
        super().__init__()
        self.read, self.tags, self.attributes = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_data(self, data):
        self.read.append(data)

    def __str__(self):
        return " ".join(" ".join(self.read).split())


@pytest.mark.parametrize(
    ("name", "report", "pictures"),
    [
        ("page_mixed", MIXED, DRAWN),
        ("page_full", structs.replace(
            MIXED, score=8.0, notes=(), review=(),
            exercises=tuple(
                structs.replace(e, score=e.max_score, status="passed", findings=(), stood_in=())
                for e in MIXED.exercises
            ),
        ), {}),
        ("page_unreadable", structs.replace(
            MIXED, status="unreadable", score=0.0, max_score=0.0, exercises=(), review=(),
            notes=(NoteEntry("unreadable", "mine.py is empty. Did you save it?"),),
        ), {}),
    ],
)  # fmt: skip
def test_golden(name, report, pictures):
    text = normalised(page(report, pictures=pictures))
    place = GOLDEN / f"{name}.html"
    if os.environ.get("GOLDEN") == "write":
        place.write_text(text, encoding="utf-8")
    assert text == place.read_text(encoding="utf-8")


def test_the_same_arguments_give_the_same_page():
    assert (
        page(MIXED, pictures=DRAWN)
        == page(MIXED, pictures=DRAWN)
        == page(MIXED, kit=PageKit(), pictures=DRAWN)
    )


def test_headings_are_in_order_and_ids_unique():
    text = Text(page(MIXED, pictures=DRAWN))
    levels = [int(tag[1]) for tag in text.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))
    ids = [value for _, name, value in text.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    links = [value for tag, name, value in text.attributes if tag == "a" and name == "href"]
    assert links
    assert all(link[1:] in ids for link in links)
    named = [
        v for _, name, value in text.attributes if name == "aria-labelledby" for v in value.split()
    ]
    assert all(one in ids for one in named)


def test_nothing_of_a_hidden_check_is_said():
    text = page(MIXED, pictures=DRAWN)
    for secret in ("42.4242", "7.7777", "8.8888", "secret"):
        assert secret not in text
    assert "A hidden check" in text
    assert "a check on other inputs failed" in text.lower()
    assert HIDDEN.title not in text


def test_hints_stand_one_inside_the_other_up_to_what_may_be_seen():
    for most in range(4):
        about = structs.replace(MIXED.assignment, max_hints=most)
        text = page(structs.replace(MIXED, assignment=about))
        assert [hint.split("`")[0] in text for hint in SIGN.hints] == [most > n for n in range(3)]
        opened = text.partition("x * x|")[2].partition("</div>\n<details")[0]
        nested = re.findall(r"<(/?)details class=\"hint\"|(</details>)", opened)[:most]
        assert all(not any(close) for close in nested)


def test_lines_of_a_notebook_are_those_of_its_cell():
    found = structs.replace(SIGN, cell=2, line=3, file="mine.ipynb")
    entry = structs.replace(MIXED.exercises[0], findings=(found,))
    cells = (Cell(1, "import torch"), Cell(2, "def square(x):\n    return abs(x)", 2))
    text = page(structs.replace(MIXED, exercises=(entry,)), cells)
    assert "mine.ipynb</bdi>, cell 2, line 3" in text
    assert '<mark class="line"><span class="no">3</span>' in text
    assert "Your line:" not in text


def test_without_source_the_finding_says_its_line():
    text = str(Text(page(MIXED, ())))
    assert "Your line: return abs(y) # why not" in text
    assert "It is about line 8." in text
    assert "<pre><code>" not in text


def test_numbers_stand_in_a_table_where_both_are_known():
    text = str(Text(page(MIXED)))
    assert "expected 9 yours 9.5 difference +0.5" in text
    assert "before 1 gradient 2 lr 0.5 expected 0 yours 1 difference +1" in text


def test_without_matplotlib_one_line_says_so():
    text = page(MIXED, kit=PLAIN, pictures=DRAWN)
    assert text.count("autograd-grader[pictures]") == 1
    assert '<figure class="picture' not in text
    assert "autograd-grader[pictures]" not in page(MIXED, kit=PLAIN)
    assert "autograd-grader[pictures]" not in page(MIXED, pictures=DRAWN)


def test_matplotlib_that_is_missing_is_noticed(monkeypatch):
    for name in [
        n for n in sys.modules if n.partition(".")[0] == "matplotlib" or "pictures.d" in n
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "autograd-grader[pictures]" in page(MIXED, kit=PageKit(), pictures=DRAWN)


def test_a_panel_stands_with_its_exercise():
    panel = Panel("shrink", "The <tape>", '<svg viewBox="0 0 9 9"><path d="M0 0"/></svg>', "x & y")
    text = page(MIXED, panels=[panel, Panel("nobody", "Lost", "<b>lost</b>", "")])
    inside = text.partition('id="exercise-3"')[2].partition("</article>")[0]
    assert "<strong>The &lt;tape&gt;</strong>" in inside
    assert '<svg viewBox="0 0 9 9"><path d="M0 0"/></svg>' in inside
    assert "x &amp; y" in inside
    assert "lost" not in text.lower().replace("lost points", "")


def test_a_page_asks_for_nothing():
    text = page(MIXED, pictures=DRAWN)
    read = Text(text)
    policy = next(v for tag, n, v in read.attributes if n == "content" and "default-src" in v)
    assert "default-src 'none'" in policy
    assert "script-src 'none'" in policy
    assert not {"script", "link", "img", "iframe", "form", "object", "style"} & set(
        read.tags[4:]
    ) - {"style"}
    assert "style" not in [name for _, name, _ in read.attributes]
    for tag, name, value in read.attributes:
        if name in ("href", "src", "xlink:href"):
            assert value.startswith("#"), (tag, name, value)
    assert not re.search(r"url\((?!#)", text)


def test_a_document_of_another_kind_is_refused():
    document = document_of(MIXED)
    with pytest.raises(ValidationError):
        student_page({**document, "grade": {**document["grade"], "format": "grade/9"}})


def test_real_reports_have_pages(runs):
    for run in runs.values():
        for document in (run.document, {**run.document, "tests": []}):
            seen = seen_document(document, general())
            text = student_page(seen, run.submission.cells, kit=KIT)
            assert run.report.assignment.title in text
            assert versions()["torch"] in text


def test_a_page_without_pictures_takes_less_than_ten_milliseconds():
    seen = seen_document(document_of(MIXED), {})
    taken = []
    for _ in range(20):
        began = time.perf_counter()
        student_page(seen, CELLS, kit=KIT)
        taken.append(time.perf_counter() - began)
    assert min(taken) < 0.010


def test_what_a_page_needs_is_imported_for_a_page_only():
    code = (
        "import sys, grader.cli.check, grader.grading, grader.classroom.batch\n"
        "heavy = {'jinja2', 'matplotlib', 'markupsafe', 'igraph'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("the sign is missing", "The sign is missing"),
        ("square: it is wrong", "square: it is wrong"),
        ("requires_grad is off", "requires_grad is off"),
        ("float64 came out", "float64 came out"),
        ("backward() fails", "backward() fails"),
        ("`x` is lost", "`x` is lost"),
        ("one-hot labels", "One-hot labels"),
        ("", ""),
    ],
)
def test_a_title_begins_with_a_capital_unless_it_is_code(text, shown):
    assert capital(text, ("square",)) == shown
