"""A stub's two forms: a module in percent format, and the notebook made from it.

The module is what an author edits. A line `# %%` opens a code cell, `# %% [markdown]` a cell of
text, written as comments. A code cell that holds only `# check: f` stands for the notebook
cell that grades that exercise: the notebook gets the call, the module keeps a comment, so that
importing the module never starts the grader.

`python -m grader.authoring.notebook MODULE.py` writes the notebook beside the module.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat.notebooknode import NotebookNode

_CODE_MARKER = "# %%"
_TEXT_MARKER = "# %% [markdown]"
_DEFINITIONS = ("def ", "async def ", "class ", "@")
_CHECK_COMMENT = re.compile(r"# check: ([A-Za-z_]\w*)", re.ASCII)
_CHECK_CELL = re.compile(
    r"from grader\.notebook import check\n\ncheck\(\"([A-Za-z_]\w*)\", \1\)", re.ASCII
)


class _Cell(NamedTuple):
    """One cell as the notebook holds it: `kind` is "code" or "markdown"."""

    kind: str
    source: str


def notebook_from_module(source: str) -> NotebookNode:
    """The notebook, format 4.5 without outputs, of a module in percent format.

    Cell ids depend on the cells' contents alone: the same module gives the same notebook, and an
    edited cell leaves the others' ids as they were.

    Raises ValueError, with the line's number, for text before the first cell marker, for a marker
    of another kind, and for a line in a cell of text that is no comment.
    """
    cells = _cells_of_module(source)
    # nbformat's builders draw random ids and write their own newest format, so nodes are plain.
    plain = {
        "cells": [_cell_node(cell, id_) for cell, id_ in zip(cells, _ids(cells), strict=True)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    node: NotebookNode = nbformat.from_dict(plain)  # type: ignore[no-untyped-call]
    nbformat.validate(node)
    return node


def module_from_notebook(node: NotebookNode) -> str:
    """The module of a notebook whose code is plain Python; outputs and metadata are left out.

    `notebook_from_module` undoes it, but for blank lines around a code cell's code. Raises
    ValueError, with the cell's number, for what a module cannot hold: a magic or shell line, a raw
    cell, a line that reads as a cell marker or a cell that reads as the comment of a check.
    """
    text = ""
    for number, cell in enumerate(node["cells"], start=1):
        body = _module_cell(number, _Cell(cell["cell_type"], cell["source"]))
        text += "\n" * _blank_lines(text, body) + body
    return text


def write_notebook(module: Path) -> Path:
    """Write the notebook of `module` beside it, and return its path.

    Raises OSError when a file cannot be read or written, and what `notebook_from_module` raises.
    """
    target = module.with_suffix(".ipynb")
    node = notebook_from_module(module.read_text(encoding="utf-8-sig"))
    nbformat.write(node, target)  # type: ignore[no-untyped-call]
    return target


def _cells_of_module(source: str) -> list[_Cell]:
    cells: list[_Cell] = []
    kind: str | None = None
    lines: list[str] = []
    for number, line in enumerate(source.replace("\r\n", "\n").split("\n"), start=1):
        if line.startswith(_CODE_MARKER):
            if kind is not None:
                cells.append(_closed(kind, lines))
            if line.rstrip() not in (_CODE_MARKER, _TEXT_MARKER):
                raise ValueError(f"line {number}: {line!r} is no cell marker known here")
            kind, lines = "markdown" if line.rstrip() == _TEXT_MARKER else "code", []
        elif kind is None and line.strip():
            raise ValueError(f"line {number}: text before the first cell marker")
        elif kind == "markdown" and line.strip() and line != "#" and not line.startswith("# "):
            raise ValueError(f"line {number}: in a cell of text a line starts with '# '")
        else:
            lines.append(line)
    if kind is not None:
        cells.append(_closed(kind, lines))
    return cells


def _closed(kind: str, lines: list[str]) -> _Cell:
    if kind == "markdown":
        # A blank line is layout of the module; an empty line of the text is a lone "#".
        return _Cell(kind, "\n".join(line[2:] for line in lines if line.strip()))
    code = "\n".join(lines).strip("\n")
    if check := _CHECK_COMMENT.fullmatch(code):
        code = _check_call(check[1])
    return _Cell(kind, code)


def _check_call(exercise: str) -> str:
    return f'from grader.notebook import check\n\ncheck("{exercise}", {exercise})'


def _module_cell(number: int, cell: _Cell) -> str:
    if cell.kind == "markdown":
        lines = [f"# {line}" if line else "#" for line in cell.source.split("\n")]
        marker = _TEXT_MARKER
    elif cell.kind == "code":
        lines = _module_code(number, cell.source).split("\n")
        marker = _CODE_MARKER
    else:
        raise ValueError(f"cell {number}: a {cell.kind} cell has no place in a module")
    if any(line.startswith(_CODE_MARKER) for line in lines):
        raise ValueError(f"cell {number}: a line reads as a cell marker")
    return "\n".join([marker, *lines]) + "\n"


def _module_code(number: int, source: str) -> str:
    code = source.strip("\n")
    if _CHECK_COMMENT.fullmatch(code):
        raise ValueError(f"cell {number}: reads as the comment of a check")
    if any(line.startswith(("%", "!")) for line in code.split("\n")):
        raise ValueError(f"cell {number}: a magic or shell line is no Python")
    if check := _CHECK_CELL.fullmatch(code):
        return f"# check: {check[1]}"
    return code


def _blank_lines(above: str, below: str) -> int:
    """Blank lines between two cells, as formatters want them: two around a definition."""
    if not above:
        return 0
    ends_indented = above.rstrip("\n").rpartition("\n")[2].startswith(" ")
    starts_definition = below.startswith(tuple(f"{_CODE_MARKER}\n{word}" for word in _DEFINITIONS))
    return 2 if ends_indented or starts_definition else 1


def _ids(cells: Iterable[_Cell]) -> list[str]:
    """Ids of cells from their contents; a content that comes again is counted."""
    ids: list[str] = []
    seen: dict[str, int] = {}
    for cell in cells:
        digest = hashlib.sha256(f"{cell.kind}\n{cell.source}".encode()).hexdigest()[:12]
        seen[digest] = seen.get(digest, 0) + 1
        ids.append(digest if seen[digest] == 1 else f"{digest}-{seen[digest]}")
    return ids


def _cell_node(cell: _Cell, id_: str) -> dict[str, object]:
    node: dict[str, object] = {"cell_type": cell.kind, "id": id_, "source": cell.source}
    node["metadata"] = {}
    if cell.kind == "code":
        node.update(execution_count=None, outputs=[])
    return node


if __name__ == "__main__":
    for named in sys.argv[1:]:
        print(write_notebook(Path(named)))
