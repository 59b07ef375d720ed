"""The tape as a part of a student's page: a picture, and the words for whoever cannot see it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass

from grader.tape.board import Board
from grader.tape.drawing import Drawing
from grader.tape.story import Story
from grader.tape.svg import picture, svg

TITLE = "The tape: what hangs on what"
OTHER = "the library's"
MOST_LISTED = 60
READING = "An arrow leads to what something was computed from, and backward() goes the same way."


@dataclass(frozen=True)
class Drawn:
    """`body` is safe to stand in a page as it is; `text` is plain text, to be escaped."""

    title: str
    body: str
    text: str


def tape_panel(story: Story, other: str = OTHER) -> Drawn:
    """A submission's tape with the `other` one folded up below it, and the same in words.

    Where nothing is cut, both are folded up. Colours are those of the text around it. On a
    student's page the other tape is the library pieces', never the model answer's. Raises
    UsageError where igraph is not installed.
    """
    body = ET.Element("div")
    ET.SubElement(body, "p", {"class": "quiet"}).text = READING
    mine = picture([("yours", story.drawing())], f"Tape of {story.taped.name}")
    theirs = picture([(other, story.other_drawing())], f"Tape of {other}")
    body.append(mine if story.cuts else _folded("Show yours", mine))
    body.append(_folded(f"Show {other}, for comparison", theirs))
    said = [sentence for one in story.told() for sentence in (one.text, *map(_yours, one.quoted))]
    text = " ".join([*said, _listing("Your tape", story.drawing())]).strip()
    return Drawn(TITLE, ET.tostring(body, encoding="unicode"), text)


def _folded(summary: str, inside: ET.Element) -> ET.Element:
    details = ET.Element("details")
    ET.SubElement(details, "summary").text = summary
    details.append(inside)
    return details


def picture_of(story: Story, other: str) -> str:
    """An SVG file of its own, with colours for light and dark. Raises UsageError."""
    return svg(_trees(story, other), _label(story))


def picture_of_board(board: Board) -> str:
    """The same of a file that only makes tensors."""
    label = " ".join([f"Tape of {board.taped.name}.", *(one.text for one in board.told())])
    return svg([(board.taped.name, board.drawing())], label)


def _trees(story: Story, other: str) -> list[tuple[str, Drawing]]:
    mine = [("yours", story.drawing())] if story.begun else []
    return [*mine, (other, story.other_drawing())]


def _label(story: Story) -> str:
    return " ".join([f"Tape of {story.taped.name}.", *(one.text for one in story.told())])


def _yours(source: str) -> str:
    return f"Your line: {source}."


def _listing(title: str, drawing: Drawing) -> str:
    """The boxes in the order in which they were computed, the newest first."""
    boxes = [box for box in drawing.boxes if not box.lost and box.kind in ("operation", "leaf")]
    words = []
    for box in reversed(boxes):
        name = ", ".join(box.names)
        what = f"leaf {name}" if box.kind == "leaf" else f"{name} = " * bool(name) + box.title
        words.append(what + f" ({box.place})" * bool(box.place))
    more = f" and {len(words) - MOST_LISTED} more" if len(words) > MOST_LISTED else ""
    return f"{title}, from its end: {'; '.join(words[:MOST_LISTED])}{more}." if words else ""
