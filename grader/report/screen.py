"""Lines for a terminal: wrapped, coloured where it can be, plain where not."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys

from rich.console import Console
from rich.text import Text

NARROWEST, WIDEST = 60, 120

WORDS = {
    "passed": "passed",
    "partial": "partial",
    "failed": "failed",
    "not_attempted": "not attempted",
}
SIGNS = {"passed": "✓", "partial": "~", "failed": "✗", "not_attempted": "·"}
STYLES = {"passed": "green", "partial": "yellow", "failed": "red", "not_attempted": "dim"}

# What moves a cursor, changes colours, turns the direction of text, or shows nothing at all.
_ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x9b[0-?]*[@-~]")
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
_AS_ASCII = str.maketrans({"✓": "+", "✗": "x", "·": "-", "…": "."})


def clean(text: str) -> str:
    """`text` as it is safe on a terminal: escape sequences removed, control signs made visible."""
    text = _ESCAPE.sub("", text.replace("\r\n", "\n").expandtabs(4))
    return _UNSEEN.sub(lambda sign: f"\\x{ord(sign[0]):02x}", text)


def points(number: float) -> str:
    """Points as a person writes them: 3, 2.5."""
    return f"{round(number, 2):g}"


def wants_color() -> bool:
    """Whether standard output shows colours and its user wants them (NO_COLOR, TERM=dumb)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdout is not None and sys.stdout.isatty()


def fitting_width() -> int:
    """The terminal's width, kept between 60 and 120; 100 where there is none."""
    return max(NARROWEST, min(WIDEST, shutil.get_terminal_size((100, 24)).columns))


def speaks_unicode() -> bool:
    """Whether standard output can encode the signs used here."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        "✓✗·".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


class Screen:
    """Collects lines of text and gives them as one string."""

    def __init__(
        self, width: int | None = None, color: bool | None = None, unicode: bool | None = None
    ) -> None:
        self.width = fitting_width() if width is None else max(NARROWEST, min(WIDEST, width))
        self.color = wants_color() if color is None else color
        self.unicode = speaks_unicode() if unicode is None else unicode
        self._lines: list[str] = []
        self._console = Console(
            file=io.StringIO(),
            width=self.width,
            force_terminal=self.color,
            color_system="standard" if self.color else None,
            no_color=not self.color,
            legacy_windows=False,
            force_jupyter=False,  # in a kernel it would put each line on the page by itself
            markup=False,
            highlight=False,
            emoji=False,
        )

    def add(
        self,
        text: str | Text,
        *,
        indent: int = 0,
        hanging: int = 0,
        style: str = "",
        whole: bool = False,
    ) -> None:
        """One paragraph, wrapped; its further lines are indented by `hanging` more.

        `whole` leaves a long line as it is, for code that is copied.
        """
        paragraph = text.copy() if isinstance(text, Text) else Text(text)
        if style:
            paragraph.stylize(style)
        if whole:
            self._put(paragraph, indent)
            return
        first, *rest = paragraph.wrap(self._console, self.width - indent)
        self._put(first, indent)
        if hanging and rest:
            # The first line has room for as much more as the others are moved in.
            rest = list(
                _stripped(paragraph[len(first.plain) :]).wrap(
                    self._console, self.width - indent - hanging
                )
            )
        for line in rest:
            self._put(line, indent + hanging)

    def blank(self) -> None:
        """One empty line, and never two."""
        if self._lines and self._lines[-1]:
            self._lines.append("")

    def text(self) -> str:
        """All lines, each ended."""
        joined = "\n".join(self._lines).rstrip("\n") + "\n"
        return joined if self.unicode else joined.translate(_AS_ASCII)

    def _put(self, line: Text, indent: int) -> None:
        line.rstrip()
        with self._console.capture() as captured:
            self._console.print(Text(" " * indent) + line, soft_wrap=True, end="")
        self._lines.append(captured.get().rstrip())


def _stripped(line: Text) -> Text:
    lead = len(line.plain) - len(line.plain.lstrip())
    return line[lead:]
