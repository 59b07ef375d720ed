"""A tape as an SVG picture. Built as a tree of elements, so that no name in it can be markup.

Lines and letters take the colour of the text around them and so are readable in light and dark;
a cut is red, and says so in words.
"""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence

from grader.tape.drawing import FLOAT, Box, Drawing, untaped
from grader.tape.layout import Layout, fits, layout

RED = "#d9484d"
LETTER = 7.25  # width of one letter of the small mono-spaced type
LINE = 15
BOX_HEIGHT = 38
LAYER = 58
GAP = 22  # between two columns
MARGIN = 12
HEADING = 30
BETWEEN = 48  # between two drawings
LONGEST = 36  # letters of a box's line
_FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_ALONE = """
:root { color-scheme: light dark; color: #1f2328; background: #ffffff; }
@media (prefers-color-scheme: dark) { :root { color: #e6edf3; background: #0d1117; } }
"""


def svg(drawings: Sequence[tuple[str, Drawing]], label: str) -> str:
    """A file of its own, with colours for light and dark. Raises UsageError without igraph."""
    root = picture(drawings, label)
    style = ET.Element("style")
    style.text = _ALONE
    root.insert(0, style)
    return ET.tostring(root, encoding="unicode") + "\n"


def picture(drawings: Sequence[tuple[str, Drawing]], label: str) -> ET.Element:
    """Titled drawings beside one another; `label` is what a screen reader says.

    Raises UsageError without igraph.
    """
    root = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "class": "tape"})
    root.set("role", "img")
    root.set("aria-label", _text(label))
    root.set("font-family", _FONT)
    root.set("font-size", "12")
    ET.SubElement(root, "title").text = _text(label)
    left, height = float(MARGIN), 0.0
    for title, drawing in drawings:
        part = ET.SubElement(root, "g", {"transform": f"translate({left:g} {MARGIN})"})
        heading = {"x": "0", "y": "14", "font-weight": "bold", "fill": "currentColor"}
        _words(part, _text(title), heading)
        width, tall = _draw(part, drawing)
        left += max(width, len(title) * LETTER * 1.1) + BETWEEN
        height = max(height, tall)
    width = left - BETWEEN + MARGIN
    height += 2 * MARGIN
    root.set("viewBox", f"0 0 {width:g} {height:g}")
    root.set("width", f"{width:g}")
    root.set("height", f"{height:g}")
    return root


def lines_of(box: Box) -> tuple[str, str]:
    """The two lines that stand in a box."""
    if box.kind == "cut":
        return f"cut: {box.title.replace('`', '')}", box.place
    if box.kind == "constant":
        return box.title, "a constant"
    facts = [] if box.shape is None else [str(box.shape)]
    facts += [box.dtype] if box.dtype not in ("", FLOAT) else []
    names = ", ".join(box.names)
    if box.kind == "leaf":
        return names or "a leaf", " ".join([*facts, "leaf"])
    if box.kind == "result":
        return names or box.title, " ".join([*facts, untaped(box)])
    title = f"{names} = {box.title}" if names else box.title
    return title, " · ".join(filter(None, (" ".join(facts), box.place)))


def _draw(part: ET.Element, drawing: Drawing) -> tuple[float, float]:
    """Draw below the heading; give width and height."""
    if not fits(drawing):
        words = f"{len(drawing.boxes)} boxes: too much for a picture"
        _words(part, words, {"x": "0", "y": str(HEADING + 14), "fill": "currentColor"})
        return len(words) * LETTER, HEADING + LINE * 2
    found = layout(drawing)
    texts = [tuple(_short(line) for line in lines_of(box)) for box in drawing.boxes]
    widths = [max(len(line) for line in lines) * LETTER + 20 for lines in texts]
    column = max(widths, default=0.0) + GAP
    middles = [
        (x * column + column / 2, HEADING + y * LAYER + BOX_HEIGHT / 2) for x, y in found.places
    ]
    for place, target, bends in found.arrows:
        through = [
            (x * column + column / 2, HEADING + y * LAYER + BOX_HEIGHT / 2) for x, y in bends
        ]
        cut = drawing.boxes[target].kind == "cut"
        lost = drawing.boxes[place].lost
        _arrow(part, [middles[place], *through, middles[target]], cut, lost)
    for box, lines, width, middle in zip(drawing.boxes, texts, widths, middles, strict=True):
        _box(part, box, lines, width, middle)
    return found.width * column, _height(found)


def _height(found: Layout) -> float:
    return HEADING + (found.layers - 1) * LAYER + BOX_HEIGHT


def _box(
    part: ET.Element,
    box: Box,
    lines: Sequence[str],
    width: float,
    middle: tuple[float, float],
) -> None:
    x, y = middle
    group = ET.SubElement(part, "g", {"class": f"tape-{box.kind}"})
    if box.lost and box.kind != "cut":
        group.set("opacity", "0.75")
    frame = {
        "x": f"{x - width / 2:g}",
        "y": f"{y - BOX_HEIGHT / 2:g}",
        "width": f"{width:g}",
        "height": f"{BOX_HEIGHT:g}",
        "rx": "18" if box.kind == "leaf" else "4",
        "fill": "none",
        "stroke": RED if box.kind == "cut" else "currentColor",
        "stroke-width": "2" if box.kind in ("cut", "leaf") else "1",
    }
    if box.lost or box.kind == "result":
        frame["stroke-dasharray"] = "5 4"
    if box.kind != "constant":
        ET.SubElement(group, "rect", frame)
    bold = {"font-weight": "bold"} if box.names or box.kind == "cut" else {}
    spoken = [line for line in lines if line]
    first = y + 4 - (len(spoken) - 1) * LINE / 2
    for number, line in enumerate(spoken):
        place = {"x": f"{x:g}", "y": f"{first + number * LINE:g}", "text-anchor": "middle"}
        _words(group, line, place | {"fill": "currentColor"} | (bold if number == 0 else {}))


def _arrow(part: ET.Element, points: Sequence[tuple[float, float]], cut: bool, lost: bool) -> None:
    """From the lower edge of a box through the bends to the upper edge of another."""
    half = BOX_HEIGHT / 2
    (x0, y0), (x1, y1) = points[0], points[-1]
    stops = [(x0, y0 + half), *points[1:-1], (x1, y1 - half - 5)]
    path = [f"M{stops[0][0]:g} {stops[0][1]:g}"]
    for (ax, ay), (bx, by) in itertools.pairwise(stops):
        bow = (by - ay) / 2
        path.append(f"C{ax:g} {ay + bow:g} {bx:g} {by - bow:g} {bx:g} {by:g}")
    colour = RED if cut else "currentColor"
    line = {"d": "".join(path), "fill": "none", "stroke": colour, "stroke-width": "1.2"}
    if cut or lost:
        line["stroke-dasharray"] = "5 4"
    ET.SubElement(part, "path", line)
    tip = y1 - half
    head = f"M{x1 - 4:g} {tip - 8:g}L{x1:g} {tip:g}L{x1 + 4:g} {tip - 8:g}Z"
    ET.SubElement(part, "path", {"d": head, "fill": colour})
    if cut:
        _cross(part, x1, y1 - half - 17)


def _cross(part: ET.Element, x: float, y: float) -> None:
    strokes = f"M{x - 6:g} {y - 6:g}L{x + 6:g} {y + 6:g}M{x - 6:g} {y + 6:g}L{x + 6:g} {y - 6:g}"
    ET.SubElement(part, "path", {"d": strokes, "stroke": RED, "stroke-width": "3"})


def _words(parent: ET.Element, words: str, attributes: dict[str, str]) -> None:
    ET.SubElement(parent, "text", attributes).text = words


def _short(line: str) -> str:
    line = _text(line)
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _text(text: str) -> str:
    """Without what XML cannot hold; the rest is escaped as it is written."""
    return _NOT_XML.sub("", text)
