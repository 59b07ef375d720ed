"""From a student's document to HTML. Jinja2 escapes all that is not marked as made here."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from grader.report.page.excerpt import Excerpts
from grader.report.page.panel import Panel
from grader.report.page.view import view_of
from grader.report.pictures.records import Picture
from grader.report.style.templates import environment, page
from grader.submission import Cell

if TYPE_CHECKING:
    from grader.report.pictures.drawing import Drawings


class PageKit:
    """What takes long to make and serves every page: templates, the lexer, what was drawn.

    `pictures` false leaves pictures undrawn, as where matplotlib is not installed.
    """

    def __init__(self, *, pictures: bool = True) -> None:
        self.templates = environment("grader.report.page")
        self.excerpts = Excerpts()
        self._wanted = pictures
        self._drawings: Drawings | None = None

    def draw(self, picture: Picture, prefix: str) -> tuple[Markup | None, float, float]:
        """(what stands inside of the <svg>, its width, its height); None without matplotlib."""
        if self._wanted and self._drawings is None:
            self._drawings = _drawings()
            self._wanted = self._drawings is not None
        if self._drawings is None:
            return None, 0.0, 0.0
        inside, (width, height) = self._drawings.inside(picture, prefix)
        return (
            Markup(inside),
            round(width, 1),
            round(height, 1),
        )  # built from known parts in canvas.py


def student_page(
    document: dict[str, Any],
    cells: Sequence[Cell] = (),
    *,
    pictures: Mapping[str, Sequence[Picture]] | None = None,
    panels: Sequence[Panel] = (),
    kit: PageKit | None = None,
) -> str:
    """The page of a document as its student may see it (see `seen_document`).

    `cells` is the source of the submission; without it no lines are shown. `pictures` are by
    exercise. The same arguments give the same page. Raises msgspec.ValidationError for a document
    that is none of ours.
    """
    kit = kit or PageKit()
    view = view_of(document, cells, pictures or {}, kit.excerpts, kit.draw, panels)
    return page(kit.templates, "student.html", css=("student.css",), images=True, page=view)


def _drawings() -> Drawings | None:
    """None where matplotlib, an extra, is not installed."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it talks about its font cache
    try:
        from grader.report.pictures.drawing import Drawings
    except ImportError:
        return None
    return Drawings()
