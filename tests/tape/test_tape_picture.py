"""The picture: safe whatever it is called, readable, and nothing drawn over anything else."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import msgspec
import pytest
from tape_sources import BOARD, STAFF, Bench, network, submitted

from grader.submission import read_submission
from grader.tape.board import Board
from grader.tape.drawing import Box, Drawing
from grader.tape.page import page_panels
from grader.tape.panel import picture_of, picture_of_board, tape_panel
from grader.tape.svg import picture, svg

pytest.importorskip("igraph", reason="igraph comes with the extra `pictures`")

SVG = "{http://www.w3.org/2000/svg}"
PARTS = {"svg", "title", "style", "g", "rect", "path", "text"}
EVIL = "</text><script>alert(1)</script>\x1b]0;\x00\ufffe\ud800\u202e\"'&<img src=x onerror=x>"


def elements(text: str) -> list[ET.Element]:
    return list(ET.fromstring(text).iter())


def tag(element: ET.Element) -> str:
    return element.tag.removeprefix(SVG)


def test_a_submission_beside_the_other(bench: Bench) -> None:
    text = picture_of(bench.story(network(relu="return x.detach().relu()")), "the library's")
    found = elements(text)
    assert {tag(element) for element in found} <= PARTS
    words = [element.text for element in found if tag(element) == "text"]
    for wanted in ("yours", "the library's", "cut: .detach()", "W1", "(2, 3) leaf", "line 4"):
        assert wanted in words
    assert "The path from loss to W1 and b1 ends here: `.detach()`, line 4 in relu." in text


def test_a_board(bench: Bench) -> None:
    words = [e.text for e in elements(picture_of_board(Board(bench.board(BOARD))))]
    for wanted in ("d = AddBackward0", "(3,) · line 6", "a", "(3,) leaf", "(None, 0)"):
        assert wanted in words


def test_hostile_names_stay_text() -> None:
    drawing = Drawing()
    for kind in ("result", "operation", "leaf", "constant", "cut"):
        drawing.add(Box(kind, EVIL, (EVIL,), (1,), EVIL, EVIL, (EVIL,)))  # type: ignore[arg-type]
    drawing.arrows[0] = [1, 2, 3, 4]
    drawing.tops.append(0)
    for text in (svg([(EVIL, drawing)], EVIL), inside(picture([(EVIL, drawing)], EVIL))):
        text.encode()  # no half of a surrogate pair
        found = elements(text)
        assert {tag(element) for element in found} <= PARTS
        assert not any(name.startswith("on") or "href" in name for e in found for name in e.attrib)
        assert "<script" not in text
        assert not re.search("[\x00\x1b\ufffe]", text)


def inside(element: ET.Element) -> str:
    return ET.tostring(element, encoding="unicode")


def test_a_hostile_submission_stays_text(bench: Bench) -> None:
    evil = (
        "kind = type('</title><img src=x onerror=alert(1)>', (torch.autograd.Function,), {\n"
        "    'forward': staticmethod(lambda ctx, x: x * 1),\n"
        "    'backward': staticmethod(lambda ctx, g: g)})\n"
        "return kind.apply(x)"
    )
    story = bench.story(network(relu=evil))
    assert any("<img" in node.name for node in story.taped.tape.nodes)
    drawn = tape_panel(story)
    for text in (drawn.body, picture_of(story, "x")):
        assert "<img" not in text
        assert {tag(element) for element in elements(text)} <= PARTS | {
            "div", "p", "details", "summary"
        }  # fmt: skip


def test_the_panel_takes_its_colours_from_the_page(bench: Bench) -> None:
    body = tape_panel(bench.story(network(relu="return x.detach().relu()"))).body
    found = elements(body)
    colours = {e.get(name) for e in found for name in ("stroke", "fill") if e.get(name)}
    assert colours == {"none", "currentColor", "#d9484d"}
    assert "style" not in {tag(element) for element in found}
    assert not any("style" in element.attrib or "id" in element.attrib for element in found)


def test_the_panel_says_the_same_in_words(bench: Bench) -> None:
    drawn = tape_panel(bench.story(network(relu="h = x.detach()\nreturn h.relu()")))
    assert drawn.text.startswith(
        "The path from loss to W1 and b1 ends here: `.detach()`, line 4 in relu. "
        "Your line: h = x.detach(). loss leads back to W2 and b2. "
        "Your tape, from its end: loss = NegBackward0 (line 11); MeanBackward0 (line 11); "
    )
    assert drawn.text.endswith("; leaf W2.")


def test_a_cut_is_shown_and_the_rest_folded_up(bench: Bench) -> None:
    cut = tape_panel(bench.story(network(relu="return x.detach().relu()"))).body
    assert [tag(element) for element in ET.fromstring(cut)] == ["p", "svg", "details"]
    whole = tape_panel(bench.story(network())).body
    assert [tag(element) for element in ET.fromstring(whole)] == ["p", "details", "details"]


def test_a_page_has_the_librarys_tape_and_never_the_model_answers(bench: Bench) -> None:
    made = submitted(network(logistic="return x.detach().sigmoid()"))
    (panel,) = page_panels(made, bench.assignment, bench.start, bench.level)
    assert panel.exercise == "logistic"
    assert "BinaryCrossEntropyBackward0" in panel.body
    (panel,) = page_panels(submitted(network()), bench.assignment, bench.start, bench.level)
    assert panel.exercise == "cross_entropy"


def test_a_page_does_without(bench: Bench) -> None:
    unwritten = submitted(network(forward="raise NotImplementedError"))
    assert page_panels(unwritten, bench.assignment, bench.start, bench.level) == ()
    silent = msgspec.structs.replace(bench.assignment, graph=None)
    assert page_panels(submitted(network()), silent, bench.start, bench.level) == ()


def boxes(text: str) -> list[tuple[float, float, float, float]]:
    return [
        (float(e.get("x", 0)), float(e.get("y", 0)), float(e.get("width", 0)), 38.0)
        for e in elements(text)
        if tag(e) == "rect"
    ]


STYLES = ("relu_loop_and_stack.py", "forward_written_out_sums.py", "cross_entropy_einsum.py")


@pytest.mark.parametrize(
    "path",
    [STAFF / "right" / name for name in STYLES]
    + [STAFF / "wrong" / "graph_cut_forward_bias_data.py"],
)
def test_no_box_lies_on_another(bench: Bench, path: Path) -> None:
    if not path.is_file():
        pytest.skip("solutions are staff's")
    drawing = bench.story(read_submission(path).source).drawing()
    text = svg([("yours", drawing)], "")
    places = boxes(text)
    assert len(places) == len(drawing.boxes)
    assert all(x >= 0 and y >= 0 for x, y, _, _ in places)
    root = ET.fromstring(text)
    assert max(x + w for x, _, w, _ in places) <= float(root.get("width", 0))
    for number, (x, y, w, h) in enumerate(places):
        for x2, y2, w2, h2 in places[:number]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y


def test_the_same_tape_is_the_same_picture(bench: Bench) -> None:
    first, second = (picture_of(bench.story(network()), "x") for _ in range(2))
    assert first == second


def test_what_is_too_much_is_said(bench: Bench) -> None:
    drawing = Drawing()
    for number in range(1000):
        drawing.add(Box("operation", "X"), [number - 1] if number else [])
    drawing.tops.append(999)
    words = [e.text for e in elements(svg([("yours", drawing)], "")) if tag(e) == "text"]
    assert words == ["yours", "1000 boxes: too much for a picture"]
