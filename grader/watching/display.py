"""Where runs are shown: redrawn in place on a terminal, one block after the other elsewhere."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from typing import Protocol

import click
from rich.cells import cell_len
from rich.console import Console
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from grader.report.screen import wants_color
from grader.watching.view import Block, fitted


class Display(Protocol):
    """Shows a status line and a block; `make` lays it out for the window of the moment."""

    def busy(self, status: str) -> None: ...
    def show(self, status: str, make: Callable[[], Block]) -> None: ...
    def tick(self) -> None: ...


def display_here() -> Display:
    """The display that suits standard output."""
    on_terminal = sys.stdout is not None and sys.stdout.isatty()
    return Redrawn() if on_terminal else Plain()


class Plain:
    """A block a run and nothing else, for a pipe, a log or an editor's pane."""

    def busy(self, status: str) -> None:
        pass

    def show(self, status: str, make: Callable[[], Block]) -> None:
        click.echo(f"[{status}]\n{make().text}")
        sys.stdout.flush()

    def tick(self) -> None:
        pass


class Redrawn:
    """The terminal's window, drawn anew: the status on its first line, and a block that fits."""

    def __init__(self) -> None:
        self._console = Console(
            no_color=not wants_color(), markup=False, highlight=False, emoji=False
        )
        self._drawn: tuple[str, Callable[[], Block]] | None = None
        self._size = self._window()
        self._rows = 0

    def busy(self, status: str) -> None:
        """Change the status line and nothing else."""
        if self._drawn is None:
            self._draw([status])
            return
        self._console.control(
            Control.home(), Control((ControlType.ERASE_IN_LINE, 2)), Control.home()
        )
        self._line(status)
        self._console.control(Control.move_to(0, self._rows))

    def show(self, status: str, make: Callable[[], Block]) -> None:
        self._drawn = status, make
        self._size = self._window()
        self._draw([status, "", *self._fitted(make())])

    def tick(self) -> None:
        """Draw anew in a window of another size."""
        if self._drawn is not None and self._window() != self._size:
            self.show(*self._drawn)

    def _fitted(self, block: Block) -> list[str]:
        columns, rows = self._size
        # A window narrower than the lines breaks them, which takes rows too.
        wide = [line for part in block for line in part]
        broken = sum(max(0, -(-_width(line) // columns) - 1) for line in wide)
        return fitted(block, rows - 3 - broken)

    def _draw(self, lines: list[str]) -> None:
        self._rows = len(lines)
        # In one piece, so that nothing flickers.
        with self._console.capture() as drawn:
            self._console.control(Control.clear(), Control.home())
            self._line(lines[0], "\n")
            for line in lines[1:]:
                self._console.print(Text.from_ansi(line), soft_wrap=True)
        self._console.file.write(drawn.get())
        self._console.file.flush()

    def _line(self, status: str, end: str = "") -> None:
        self._console.print(Text(status, style="dim"), end=end, no_wrap=True, overflow="ellipsis")

    def _window(self) -> tuple[int, int]:
        size = shutil.get_terminal_size((100, 24))
        return max(size.columns, 20), max(size.lines, 6)


def _width(line: str) -> int:
    return cell_len(Text.from_ansi(line).plain)
