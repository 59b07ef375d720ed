"""Text that wants to be more than text on a page, and documents in which everything says it."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from grader.report.model import (
    AdviceEntry,
    ExerciseEntry,
    FileRef,
    FindingEntry,
    NoteEntry,
    Report,
)
from grader.submission import Cell
from tests.report.page_documents import MIXED, SOURCE, check_of

PAYLOADS = {
    "script": "<script>alert(1)</script>",
    "attribute": '" onmouseover="alert(1)" x=\'',
    "image": "<img src=x onerror=alert(1)>",
    "style": "</style><style>*{display:none}</style>",
    "title": "</title></head><body onload=alert(1)>",
    "pre": "</code></pre></figure><script src=//e.example/a.js></script>",
    "comment": "--><!-- <!--> -->",
    "cdata": "]]><![CDATA[<svg onload=alert(1)>",
    "svg": "<svg><script>alert(1)</script><a href='javascript:alert(1)'><text>x</text></a></svg>",
    "address": "javascript:alert(1)",
    "template": "{{ 7*191 }}{% raw %}{{ self._TemplateReference__context }}",
    "entity": "&lt;script&gt;&#60;b&#62;&NewLine;",
    "backticks": "`<b>``</code>` ` <i>",
    "escape": "\x1b[31mred\x1b]8;;http://e.example\x07link\x1b]8;;\x07",
    "control": "\x00\x07\x08\r\x7f\x9b\x85",
    "direction": "\u202eevil\u2066\u200f",
    "halves": "\ud83d\udc00",
    "long": "x" * 3_000 + "<b>",
}


def infected(text: str) -> tuple[Report, list[dict[str, Any]], tuple[Cell, ...]]:
    """All that a submission can put into a document says `text`; and its source does."""
    safe = text.encode("utf-8", "backslashreplace").decode()
    found = FindingEntry(
        None, f"a {safe}", f"b {safe}\nc {safe}", {"got": f"d {safe}"[:50], "expected": safe[:50]},
        file=f"e {safe}", line=8, hints=(f"f {safe}", f"g {safe}"), handout=f"h {safe}",
        check="checks/test_square.py::test_values", output=f"i {safe}",
    )  # fmt: skip
    entry = ExerciseEntry(
        "square", 1.0, 2.0, "partial", (found,), (AdviceEntry("x", f"j {safe}", 8),),
        stood_in=(f"k {safe}",), handout=f"l {safe}",
    )  # fmt: skip
    about = structs.replace(
        MIXED.submission, id=safe, files=(FileRef(f"m {safe}", "ab" * 32),), students=(f"n {safe}",)
    )
    report = structs.replace(
        MIXED, submission=about, exercises=(entry,), isolation=f"o {safe}",
        notes=(NoteEntry("load-error", f"p {safe}", f"q {safe}", 19),), review=(f"r {safe}",),
        versions={"python": f"s {safe}"},
    )  # fmt: skip
    tests = [check_of("square", f"t {safe}", 0.0, name="values")]
    line = text.replace("\n", " ")
    source = SOURCE.replace("# why not", f"# {line}").replace("The square", f"The {line}")
    return report, tests, (Cell(None, source),)
