"""The small graphs on the board."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tape_sources import BOARD, Bench

from grader.tape.board import Board
from grader.tape.terminal import Style, render_board

PLAIN = Style(80, color=False)
Golden = Callable[[str, str], None]


def board(bench: Bench, source: str) -> Board:
    return Board(bench.board(source))


def test_the_board_of_the_lesson(bench: Bench, golden: Golden) -> None:
    golden("board", render_board(board(bench, BOARD), PLAIN))


def test_names_edges_and_lines_are_autograds_own(bench: Bench) -> None:
    tape = bench.board(BOARD).tape
    names = {named.name: tape.tensors[named.tensor] for named in tape.names}
    assert list(names) == ["a", "b", "c", "d"]
    d, c, b = (tape.nodes[names[name].node] for name in "dcb")
    assert [d.name, c.name, b.name] == ["AddBackward0", "MeanBackward0", "MulBackward0"]
    assert [node.spot.line if node.spot else None for node in (d, c, b)] == [6, 5, 4]
    a = names["a"].node
    assert tape.nodes[a].name == "torch::autograd::AccumulateGrad"
    assert d.edges == [a, names["c"].node]
    assert b.edges == [a, -1]
    assert [names[name].shape for name in "abcd"] == [(3,), (3,), (), (3,)]


def said(found: Board) -> str:
    return " ".join(one.text for one in found.told())


def test_several_ends_modules_and_lists(bench: Bench) -> None:
    source = (
        "import torch\nx = torch.ones(1, 2)\nlinear = torch.nn.Linear(2, 1)\n"
        "out = linear(x)\nws = [torch.ones(2, requires_grad=True), 3]\n"
        "square = ws[0] * ws[0]\nfirst = square.sum()\nother = first\nfirst.backward()\n"
    )
    found = board(bench, source)
    text = render_board(found, PLAIN)
    assert "linear.weight (1, 2) leaf" in text
    assert "first, other = SumBackward0 ()  line 7\nsquare = MulBackward0 (2,)  line 6\n" in text
    assert "ws[0] is used twice" in said(found)
    assert "x does not require grad, so nothing is recorded behind it." in said(found)
    assert "elements" not in said(found)  # one element each: backward() may start there


def test_a_statement_that_fails_is_told_and_the_rest_drawn(bench: Bench) -> None:
    found = board(bench, BOARD.replace("c = b.mean()", "c = b.men()\nd = b * a"))
    assert found.told()[0].sign == "bad"
    assert found.told()[0].text.startswith("line 5 was skipped: AttributeError: ")
    assert found.told()[1].text.startswith("line 7 was skipped: NameError: ")
    assert "d = MulBackward0 (3,)  line 6" in render_board(found, PLAIN)


@pytest.mark.parametrize(
    ("source", "tensors"),
    [("x = 1\n", []), ("import torch\nx = torch.ones(2)\n", ["x"])],
)
def test_nothing_recorded_is_nothing_drawn(bench: Bench, source: str, tensors: list[str]) -> None:
    found = board(bench, source)
    assert list(found.tensors) == tensors
    assert not found.begun


def test_endless_and_deadly_boards_come_to_an_end(bench: Bench) -> None:
    source = f"{BOARD}import os\nos._exit(1)\n"
    found = board(bench, source)
    assert "line 8 was skipped: the process ended itself with status 1" in said(found)
    assert list(found.tensors) == ["a", "b", "c", "d"]
