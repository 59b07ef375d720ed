"""A tape as a tree of lines: rich draws the guides, one line is one box.

What has one thing behind it goes on in the next line; only a fork is indented. A box that several
lead to is written out once and has a number, by which it is meant again.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from grader.report.screen import Screen, clean, fitting_width, speaks_unicode, wants_color
from grader.tape.board import Board
from grader.tape.drawing import FLOAT, Box, Drawing, untaped
from grader.tape.story import Said, Story

MOST_LINES = 80
LONGEST_QUOTE = 76
WIDEST = 400  # columns of which no tree takes more
GAP = 3  # between two trees
SIGNS = {"bad": ("✗", "bold red"), "good": ("✓", "bold green"), "note": ("·", "bold")}
READING = (
    "Each line was computed from what stands below it, and backward() goes the same way. All is "
    "float32 unless a line says otherwise."
)
_AS_ASCII = str.maketrans({"✗": "x", "✓": "+", "·": "-", "…": "."})


class _File(io.StringIO):
    """Tells rich which guides its reader can show."""

    def __init__(self, encoding: str) -> None:
        super().__init__()
        self._said = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._said


@dataclass(frozen=True)
class Style:
    """How wide, and what the reader's terminal can show."""

    width: int
    color: bool
    unicode: bool = True

    @classmethod
    def here(cls) -> Style:
        """What standard output can show."""
        return cls(fitting_width(), wants_color(), speaks_unicode())


def render(story: Story, title: str, other: str, style: Style) -> str:
    """A submission's tape beside the other one, and what is to be said about it.

    `title` is the assignment's, `other` whose the second tape is.
    """
    screen = _screen(style)
    screen.add(f"{clean(story.taped.name)} · {clean(title)}", style="bold")
    screen.add(f"The tape of {', then '.join(str(step) for step in story.steps)}", hanging=2)
    screen.blank()
    trees = [(other, story.other_drawing())]
    if story.begun:
        trees.insert(0, ("yours", story.drawing()))
    after = _screen(style)
    after.blank()
    _told(after, story.told())
    after.blank()
    after.add(READING, style="dim")
    if story.cuts:
        after.add("`grade explain graph-cut` says more.", style="dim")
    elif story.stopped:
        after.add("`grade check` says what went wrong, and what to try.", style="dim")
    return f"{screen.text()}\n{columns(trees, style)}\n{after.text()}"


def render_board(board: Board, style: Style) -> str:
    """The tape of a file's own tensors."""
    screen = _screen(style)
    screen.add(f"{clean(board.taped.name)} · the tape of {_tensors(len(board.tensors))}",
               style="bold")  # fmt: skip
    after = _screen(style)
    _told(after, board.told())
    after.blank()
    after.add(READING, style="dim")
    drawn = f"\n{_rendered([tree(board.drawing())], style)}" if board.begun else ""
    return f"{screen.text()}{drawn}\n{after.text()}"


def columns(trees: Sequence[tuple[str, Drawing]], style: Style) -> str:
    """Titled trees beside one another where there is room, one after the other elsewhere."""
    parts = [(Text(title, style="bold"), tree(drawing)) for title, drawing in trees]
    widths = [_width(title, drawn) for title, drawn in parts]
    if len(parts) > 1 and sum(widths) + GAP * (len(parts) - 1) <= style.width:
        grid = Table.grid(padding=(0, GAP, 0, 0), expand=False)
        for width in widths:
            grid.add_column(width=width)
        grid.add_row(*(title for title, _ in parts))
        grid.add_row(*(drawn for _, drawn in parts))
        return _rendered([grid], style)
    lines: list[RenderableType] = []
    for number, (title, drawn) in enumerate(parts):
        lines += ([Text("")] if number else []) + [title, drawn]
    return _rendered(lines, style)


def tree(drawing: Drawing) -> Tree:
    """The drawing from its tops down."""
    return _Grower(drawing).grown()


def line(box: Box, number: int | None = None) -> Text:
    """One box in words."""
    words = Text(style="dim" if box.lost else "")
    if box.kind == "cut":
        words.append("✗ cut", style="bold red not dim")
        words.append(f": {box.title}", style="not dim")
    elif box.kind == "constant":
        words.append(f"{box.title}: a constant, nothing to follow", style="dim")
    elif box.kind == "leaf":
        words.append(", ".join(box.names) or "a leaf without a name", style="bold cyan")
        words.append(f" {_facts(box)} leaf")
    else:
        if box.names:
            words.append(f"{', '.join(box.names)} = ", style="bold")
        words.append(f"{box.title} {_facts(box)}".rstrip())
        if box.kind == "result":
            words.append(f"  {untaped(box)}", style="dim")
        if box.beside:
            words.append(f" with {', '.join(box.beside)}")
    if number is not None:
        words.append(f" [{number}]", style="yellow")
    if box.place:
        words.append(f"  {box.place}", style="dim")
    return words


def _facts(box: Box) -> str:
    shape = "" if box.shape is None else str(box.shape)
    dtype = "" if box.dtype in ("", FLOAT) else box.dtype
    return " ".join(filter(None, (shape, dtype)))


class _Grower:
    def __init__(self, drawing: Drawing) -> None:
        self._drawing = drawing
        self._users = drawing.users()
        self._numbers: dict[int, int] = {}
        self._seen: set[int] = set()
        self._left = MOST_LINES

    def grown(self) -> Tree:
        hidden = Tree("", hide_root=True)
        for top in self._drawing.tops:
            self._grow(hidden, top)
        missing = len(self._drawing.boxes) - len(self._seen)
        if self._left <= 0 and missing > 0:
            hidden.add(Text(f"... and {missing} more", style="dim"))
        return hidden

    def _grow(self, above: Tree, start: int) -> None:
        # A stack, not recursion: a tape may be thousands deep.
        waiting = [(above, start)]
        while waiting:
            parent, place = waiting.pop()
            chain, forks = self._chain(place)
            if not chain:
                continue
            branch = parent.add(Text("\n").join(chain))
            waiting.extend((branch, fork) for fork in reversed(forks))

    def _chain(self, place: int) -> tuple[list[Text], list[int]]:
        """Lines from this box down to the next fork, and what lies behind the fork."""
        drawing = self._drawing
        lines: list[Text] = []
        while self._left > 0:
            self._left -= 1
            box = drawing.boxes[place]
            shared = self._users[place] > 1 and box.kind == "operation"
            if place in self._seen and shared:
                known = Text(
                    f"{box.title} [{self._number(place)}]", style="dim" if box.lost else ""
                )
                lines.append(known.append(", as above", style="dim"))
                return lines, []
            self._seen.add(place)
            lines.append(line(box, self._number(place) if shared else None))
            targets = list(dict.fromkeys(drawing.arrows[place]))
            if len(targets) != 1:
                return lines, targets
            place = targets[0]
        return lines, []

    def _number(self, place: int) -> int:
        return self._numbers.setdefault(place, len(self._numbers) + 1)


def _told(screen: Screen, said: Sequence[Said]) -> None:
    for one in said:
        sign, style = SIGNS[one.sign]
        words = Text(f"{sign} ", style=style)
        words.append(clean(one.text), style="not bold default")
        screen.add(words, hanging=2)
        for source in one.quoted:
            screen.add(f"Your line: {_short(clean(source))}", indent=2, style="dim", whole=True)


def _short(line: str) -> str:
    return line if len(line) <= LONGEST_QUOTE else f"{line[:LONGEST_QUOTE].rstrip()} ..."


def _tensors(number: int) -> str:
    return f"{number} tensor{'' if number == 1 else 's'}"


def _screen(style: Style) -> Screen:
    return Screen(style.width, style.color, style.unicode)


def _console(style: Style) -> Console:
    return Console(
        file=_File("utf-8" if style.unicode else "ascii"),
        width=style.width,
        force_terminal=style.color,
        color_system="standard" if style.color else None,
        no_color=not style.color,
        legacy_windows=False,
        markup=False,
        highlight=False,
        emoji=False,
    )


def _width(title: Text, drawn: Tree) -> int:
    """Columns that a tree takes when nothing is wrapped."""
    text = _rendered([title, drawn], Style(WIDEST, color=False))
    return max(cell_len(row) for row in text.splitlines())


def _rendered(parts: Sequence[RenderableType], style: Style) -> str:
    console = _console(style)
    with console.capture() as captured:
        for part in parts:
            console.print(part)
    text = "\n".join(row.rstrip() for row in captured.get().splitlines()) + "\n"
    return text if style.unicode else text.translate(_AS_ASCII)
