"""The student's own lines around a finding, coloured by Pygments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup, escape
from msgspec import Struct
from pygments.lexers.python import PythonLexer  # type: ignore[import-untyped]
from pygments.token import (  # type: ignore[import-untyped]
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    String,
)

from grader.report.screen import clean
from grader.submission import Cell

WHOLE_FUNCTION = 24  # lines; of a longer one, what is around the finding
BEFORE, AFTER = 4, 3
MOST_MARKED = 16
LONGEST_LINE = 200
_SPAN = Markup('<span class="{}">{}</span>')
_HEAD = re.compile(r"(async\s+def|def|class)\b")
_CONTINUED = re.compile(r"[)\]}#\s]")
_CLASSES = (
    (Keyword.Constant, "m"), (Keyword, "k"), (Name.Function, "f"), (Name.Class, "f"),
    (Name.Decorator, "d"), (Name.Builtin, "b"), (String, "s"), (Comment, "c"), (Number, "m"),
    (Operator.Word, "k"),
)  # fmt: skip


class CodeLine(Struct, frozen=True):
    """A line as it is numbered in its file or cell."""

    number: int
    code: Markup
    marked: bool


class Excerpt(Struct, frozen=True):
    """Lines in order; None where some are left out."""

    lines: tuple[CodeLine | None, ...]
    first: int
    last: int


class Excerpts:
    """Makes excerpts; holds the lexer, which takes a while to make."""

    def __init__(self) -> None:
        self._lexer = PythonLexer(stripnl=False, ensurenl=False)

    def around(
        self, cells: Sequence[Cell], cell: int | None, line: int | None, end: int | None = None
    ) -> Excerpt | None:
        """The function that these lines stand in, or some lines around them.

        None where the source has no such line: what a worker says of lines is only evidence.
        """
        source = next((one for one in cells if one.number == cell), None)
        if source is None or line is None:
            return None
        lines = source.source.split("\n")
        first = line - source.first_line
        last = max(first, (end or line) - source.first_line)
        if not 0 <= first < len(lines):
            return None
        last = min(last, len(lines) - 1, first + MOST_MARKED - 1)
        blocks = _blocks(lines, first, last)
        # Where everything is marked, nothing is.
        everything = first - last < -2 and blocks == [_trimmed(lines, first, last + 1)]
        shown: list[CodeLine | None] = []
        for start, stop in blocks:
            if shown:
                shown.append(None)
            for place, code in enumerate(self._colored(lines[start:stop]), start):
                marked = first <= place <= last and not everything
                shown.append(CodeLine(place + source.first_line, code, marked))
        offset = source.first_line
        return Excerpt(tuple(shown), blocks[0][0] + offset, blocks[-1][1] - 1 + offset)

    def line(self, cells: Sequence[Cell], cell: int | None, line: int | None) -> Excerpt | None:
        """This line alone."""
        source = next((one for one in cells if one.number == cell), None)
        if source is None or line is None:
            return None
        lines = source.source.split("\n")
        place = line - source.first_line
        if not 0 <= place < len(lines):
            return None
        (code,) = self._colored([lines[place].strip()])
        return Excerpt((CodeLine(line, code, False),), line, line)

    def _colored(self, lines: Sequence[str]) -> list[Markup]:
        """One piece of markup a line. Control signs are made visible, long lines cut."""
        text = "\n".join(_cut(clean(line)) for line in lines)
        done: list[Markup] = []
        parts: list[Markup] = []
        for kind, token in self._lexer.get_tokens(text):
            name = _class_of(kind)
            for number, piece in enumerate(token.split("\n")):
                if number:
                    done.append(Markup("").join(parts))
                    parts = []
                if piece:
                    parts.append(_SPAN.format(name, piece) if name else escape(piece))
        return [*done, Markup("").join(parts)][: len(lines)]


def _blocks(lines: Sequence[str], first: int, last: int) -> list[tuple[int, int]]:
    """(start, stop) of the pieces to show, in order."""
    head, stop = _function(lines, first)
    if head is None:
        return [_trimmed(lines, max(0, first - BEFORE), min(len(lines), last + 1 + AFTER))]
    stop = max(stop, last + 1)
    if stop - head <= WHOLE_FUNCTION:
        return [_trimmed(lines, head, stop)]
    start = max(head, first - BEFORE)
    around = _trimmed(lines, start, min(stop, last + 1 + AFTER))
    # One line alone is not worth a gap.
    return [(head, around[1])] if around[0] - head <= 2 else [(head, head + 1), around]


def _function(lines: Sequence[str], place: int) -> tuple[int | None, int]:
    """The top-level function or class around a line: where it begins, and where it has ended."""
    head = place
    while head > 0 and (not lines[head].strip() or _CONTINUED.match(lines[head])):
        head -= 1
    if lines[head].startswith("@"):
        while head < len(lines) - 1 and lines[head].startswith("@"):
            head += 1
    if not _HEAD.match(lines[head]):
        return None, place + 1
    stop = head + 1
    while stop < len(lines) and (not lines[stop].strip() or _CONTINUED.match(lines[stop])):
        stop += 1
    while head > 0 and lines[head - 1].startswith("@"):
        head -= 1
    return _trimmed(lines, head, stop)


def _trimmed(lines: Sequence[str], start: int, stop: int) -> tuple[int, int]:
    """Without blank lines at either end."""
    while stop - start > 1 and not lines[stop - 1].strip():
        stop -= 1
    while stop - start > 1 and not lines[start].strip():
        start += 1
    return start, stop


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + " ..."


def _class_of(kind: Any) -> str | None:
    return next((name for known, name in _CLASSES if kind in known), None)
