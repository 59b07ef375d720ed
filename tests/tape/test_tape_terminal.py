"""The tree on a terminal."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rich.cells import cell_len
from tape_sources import BOARD, STAFF, Bench, network

from grader.tape.board import Board
from grader.tape.drawing import Box, Drawing
from grader.tape.story import Story
from grader.tape.terminal import MOST_LINES, Style, columns, render, render_board

WIDE = Style(120, color=False)
NARROW = Style(80, color=False)
Golden = Callable[[str, str], None]


def rendered(story: Story, style: Style = WIDE) -> str:
    return render(story, "A small network", "the library's", style)


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("whole", network()),
        ("cut_detach", network(relu="h = x.detach()\nreturn h.clamp(min=0)")),
        (
            "cut_no_grad",
            network(logistic="with torch.no_grad():\n    return 1 / (1 + (-x).exp())"),
        ),
        ("cut_number", network(cross_entropy="return (y_pred - y).square().sum().item()")),
        ("not_written", network(forward="raise NotImplementedError")),
        ("raised", network(cross_entropy="return y_pred @ y")),
    ],
)
def test_golden(bench: Bench, golden: Golden, name: str, source: str) -> None:
    golden(name, rendered(bench.story(source)))


def test_narrow_golden(bench: Bench, golden: Golden) -> None:
    story = bench.story(network(relu="h = x.detach()\nreturn h.clamp(min=0)"))
    golden("narrow", rendered(story, NARROW))


def test_no_line_is_wider_than_the_terminal(bench: Bench) -> None:
    story = bench.story(network(relu="h = x.detach()\nreturn h.clamp(min=0)"))
    for width in (60, 80, 100, 120):
        for line in rendered(story, Style(width, color=False)).splitlines():
            assert cell_len(line) <= width


def test_plain_has_no_escapes_and_colour_the_same_words(bench: Bench) -> None:
    story = bench.story(network(relu="h = x.detach()\nreturn h.clamp(min=0)"))
    plain = rendered(story)
    assert "\x1b" not in plain
    coloured = rendered(story, Style(120, color=True))
    assert "\x1b[" in coloured
    assert "cut" in plain  # a word beside the sign


def test_ascii_where_nothing_else_can_be_shown(bench: Bench) -> None:
    story = bench.story(network(relu="h = x.detach()\nreturn h.clamp(min=0)"))
    text = rendered(story, Style(120, color=False, unicode=False))
    assert text.isascii()
    assert "x cut: `.detach()`" in text


def test_names_from_a_submission_are_text(bench: Bench) -> None:
    source = BOARD + "globals()['[red]x\\x1b[31m\\u202e'] = a * 3\n"
    text = render_board(Board(bench.board(source, "[bold]b.py")), NARROW)
    assert "[red]x" in text
    assert "[bold]b.py" in text
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_a_long_tape_is_cut(bench: Bench) -> None:
    drawing = Drawing()
    for number in range(3000):
        drawing.add(Box("operation", "X"), [number - 1] if number else [])
    drawing.tops.append(2999)
    lines = columns([("yours", drawing)], NARROW).splitlines()
    assert len(lines) == MOST_LINES + 2
    assert lines[-1] == f"... and {3000 - MOST_LINES} more"


@pytest.mark.skipif(not STAFF.is_dir(), reason="solutions are staff's")
def test_in_a_notebook_places_have_cells(bench: Bench) -> None:
    text = rendered(bench.story(STAFF / "wrong" / "graph_cut_forward_no_grad.ipynb"))
    assert "✗ cut: recording is off  cell 5, lines 3 and 4" in text
