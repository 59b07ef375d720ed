"""The student's own lines around a finding."""

from __future__ import annotations

import html
import re

import pytest

from grader.report.page.excerpt import LONGEST_LINE, MOST_MARKED, WHOLE_FUNCTION, Excerpts
from grader.submission import Cell

EXCERPTS = Excerpts()
SHORT = (
    "import torch\n\n\n@torch.no_grad()\ndef f(x):\n\n    return x\n\n\ny = 1\nz = (\n    2\n)\n"
)


def shown(source, line, end=None, first_line=1, number=None):
    """(line numbers, those marked, the text) of an excerpt; None stands for what is left out."""
    found = EXCERPTS.around([Cell(number, source, first_line)], number, line, end)
    if found is None:
        return None
    numbers = [one and one.number for one in found.lines]
    marked = [one.number for one in found.lines if one and one.marked]
    text = [html.unescape(re.sub("<[^>]*>", "", one.code)) for one in found.lines if one]
    return numbers, marked, text


def long(lines):
    return (
        "def f(x):\n" + "".join(f"    x = x + {n}\n" for n in range(2, lines + 1)) + "\n\ny = 1\n"
    )


def test_a_short_function_is_shown_whole_with_its_decorator():
    numbers, marked, text = shown(SHORT, 7)
    assert numbers == [4, 5, 6, 7]
    assert marked == [7]
    assert text[0] == "@torch.no_grad()"
    assert shown(SHORT, 4)[0] == shown(SHORT, 5)[0] == [4, 5, 6, 7]


def test_outside_of_a_function_there_are_some_lines_around():
    numbers, marked, _ = shown(SHORT, 10)
    assert (numbers[0], numbers[-1], marked) == (7, 13, [10])


def test_of_a_long_function_there_is_its_head_and_what_is_around():
    numbers, marked, _ = shown(long(60), 40)
    assert numbers == [1, None, 36, 37, 38, 39, 40, 41, 42, 43]
    assert marked == [40]
    assert shown(long(60), 5)[0] == list(range(1, 9))
    assert shown(long(60), 60)[0][-1] == 60
    assert len(shown(long(WHOLE_FUNCTION), 20)[0]) == WHOLE_FUNCTION


def test_many_marked_lines_are_cut():
    _, marked, _ = shown(long(200), 10, 190)
    assert len(marked) == MOST_MARKED


def test_where_all_would_be_marked_nothing_is():
    assert shown(long(9), 1, 9)[:2] == (list(range(1, 10)), [])
    assert shown(long(9), 1, 8)[1] == list(range(1, 9))


def test_numbers_are_those_of_the_file():
    numbers, marked, _ = shown("%magic\ndef f():\n    return 1", 12, first_line=10, number=3)
    assert numbers == [11, 12]
    assert marked == [12]


@pytest.mark.parametrize("line", [None, 0, -5, 14, 2**31])
def test_a_line_that_is_not_there_shows_nothing(line):
    assert shown(SHORT.rstrip(), line) is None
    assert EXCERPTS.line([Cell(None, SHORT.rstrip())], None, line) is None


def test_a_cell_that_is_not_there_shows_nothing():
    assert EXCERPTS.around([Cell(1, SHORT)], 2, 5) is None
    assert EXCERPTS.around([], None, 5) is None


def test_an_end_before_its_beginning_is_left_aside():
    assert shown(SHORT, 7, 2)[1] == [7]


def test_text_that_spans_lines_keeps_every_line():
    source = 'def f():\n    """One\n    <b>two</b>\n    """\n    return f"""\n  {1}"""\n'
    numbers, _, text = shown(source, 3)
    assert numbers == [1, 2, 3, 4, 5, 6]
    assert text[2] == "    <b>two</b>"


def test_signs_that_cannot_be_seen_are_made_visible_and_lines_stay_lines():
    source = "def f():\n    a = '\x1b[31m\x07\u202e'\n    \x0cb = '\x1b]8;;x'\n    c = '\u2028'\n"
    numbers, _, text = shown(source, 3)
    assert numbers == [1, 2, 3, 4]
    assert "\\x202e" in text[1]
    assert not re.search(r"[\x00-\x08\x0b-\x1f\u2028\u202e]", "".join(text))


def test_endless_lines_are_cut():
    _, _, (text,) = shown("x = '" + "a" * 100_000 + "'", 1)
    assert len(text) == LONGEST_LINE + len(" ...")


def test_what_is_no_python_is_shown_too():
    numbers, _, text = shown("def f(:\n    ???\n\t€ = $", 2)
    assert numbers == [1, 2, 3]
    assert text[1] == "    ???"
