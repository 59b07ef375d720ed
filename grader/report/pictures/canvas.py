"""matplotlib's SVG, made fit to stand inside a page: its colours are the page's variables.

The only module that knows matplotlib's renderer. Nothing is drawn at import.
"""

from __future__ import annotations

import contextlib
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG, RendererSVG
from matplotlib.figure import Figure

# Drawn in these colours, shown in the page's: an SVG elsewhere falls back to the second.
INK, SOFT, GRID, THEIRS, BAND, PAPER = (
    "#010101", "#020202", "#030303", "#040404", "#050505", "#060606",
)  # fmt: skip
_SHOWN = {
    INK: "var(--pic-ink, currentColor)",
    SOFT: "var(--pic-soft, currentColor)",
    GRID: "var(--pic-grid, #8884)",
    THEIRS: "var(--pic-theirs, #b8400e)",
    BAND: "var(--pic-band, #8bb3db)",
    PAPER: "var(--pic-paper, Canvas)",
}
PREFIX = "@@"  # stands before every id, until the page gives its own
FONT_SIZE = 10.0
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none", "svg.hashsalt": "picture", "font.size": FONT_SIZE,
    "axes.edgecolor": SOFT, "axes.labelcolor": INK, "text.color": INK, "axes.facecolor": "none",
    "figure.facecolor": "none", "xtick.color": SOFT, "ytick.color": SOFT, "xtick.labelcolor": INK,
    "ytick.labelcolor": INK, "axes.spines.top": False, "axes.spines.right": False,
    "axes.linewidth": 0.8, "axes.grid": True, "grid.color": GRID, "grid.linewidth": 0.7,
    "axes.axisbelow": True, "axes.unicode_minus": True, "text.parse_math": False,
    "path.simplify": False, "lines.solid_capstyle": "round", "lines.solid_joinstyle": "round",
}  # fmt: skip
_TAGS = {"g", "path", "text", "tspan", "use", "defs", "clipPath", "rect"}
_ATTRIBUTES = {"d", "transform", "x", "y", "width", "height", "clip-path"}
_STYLES = {
    "fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray",
    "stroke-linecap", "stroke-linejoin", "opacity", "text-anchor", "font-size", "font",
}  # fmt: skip
_SVG, _XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_COLOR = re.compile(r"#[0-9a-f]{6}")
_FONT = re.compile(r"([\d.]+)px")


@contextlib.contextmanager
def drawing() -> Iterator[None]:
    """Our style, whatever a user's own file says, for the time of one picture."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def figure(width: float, height: float) -> Figure:
    """An empty figure, in inches of 72 units."""
    made = Figure(figsize=(width, height), dpi=72)
    FigureCanvasSVG(made)
    return made


def size(made: Figure) -> tuple[float, float]:
    """Width and height in units."""
    width, height = made.get_size_inches()
    return float(width * 72), float(height * 72)


def whole(made: Figure) -> str:
    """Everything in a figure, as a fragment of SVG."""
    return _fragment(made, [made], "f")


def alone(axes: Axes, artists: Sequence[Artist], layer: str) -> str:
    """These artists without their axes, as a fragment; they are taken out afterwards.

    `layer` tells its ids from those of other fragments in the same picture.
    """
    made = axes.get_figure(root=True) if hasattr(axes, "get_figure") else axes.figure
    assert isinstance(made, Figure)
    drawn = _fragment(made, sorted(artists, key=lambda artist: artist.get_zorder()), layer)
    for artist in artists:
        artist.remove()
    return drawn


def _fragment(made: Figure, artists: Iterable[Artist], layer: str) -> str:
    width, height = size(made)
    written = io.StringIO()
    new: Any = RendererSVG  # without types of its own
    renderer = new(width, height, written, image_dpi=72, metadata={"Date": None})
    for artist in artists:
        artist.draw(renderer)
    renderer.finalize()
    root = ET.fromstring(written.getvalue())
    used = set(re.findall(r"#([A-Za-z]\w*)\)?\"", written.getvalue()))
    return "".join(_written(child, used) for child in root).replace(PREFIX, PREFIX + layer)


def _written(element: ET.Element, used: set[str]) -> str:
    """An element of known kind with what is known of its attributes; of others nothing."""
    tag = element.tag.removeprefix(_SVG)
    if tag not in _TAGS:
        return ""
    inside = "".join(_written(child, used) for child in element)
    text = _escaped((element.text or "").strip())
    attributes = "".join(f' {name}="{value}"' for name, value in _attributes(element, used))
    if tag in ("g", "defs") and not inside:
        return ""
    if tag == "g" and not attributes:
        return inside
    if not text and not inside:
        return f"<{tag}{attributes}/>"
    return f"<{tag}{attributes}>{text}{inside}</{tag}>"


def _attributes(element: ET.Element, used: set[str]) -> Iterator[tuple[str, str]]:
    for name, value in element.attrib.items():
        if name == "id":
            if value in used:
                yield "id", PREFIX + _escaped(value)
        elif name in (f"{_XLINK}href", "href"):
            yield "href", "#" + PREFIX + _escaped(value.removeprefix("#"))
        elif name == "clip-path":
            yield name, _escaped(value).replace("url(#", f"url(#{PREFIX}")
        elif name == "style":
            yield from _presentation(value)
        elif name in _ATTRIBUTES:
            yield name, _escaped(" ".join(_LONG_NUMBER.sub(_rounded, value).split()))


def _presentation(style: str) -> Iterator[tuple[str, str]]:
    """A style as attributes, which a policy without inline styles lets pass."""
    for one in style.split(";"):
        name, _, value = (part.strip() for part in one.partition(":"))
        if name not in _STYLES:
            continue
        if name == "font":
            found = _FONT.search(value)
            name, value = "font-size", found[1] if found else str(FONT_SIZE)
        yield name, _escaped(_COLOR.sub(lambda color: _SHOWN.get(color[0], color[0]), value))


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def _escaped(text: str) -> str:
    for sign, name in (("&", "amp"), ("<", "lt"), (">", "gt"), ('"', "quot")):
        text = text.replace(sign, f"&{name};")
    return text
