"""Notebooks: from bytes to cells of plain Python. Cells that do not parse are left out."""

from __future__ import annotations

import json
import logging
from typing import Any

from msgspec import Struct

from grader.errors import UnreadableSubmission
from grader.submission.magics import without_magics
from grader.submission.parsing import NotPython, blamed, parse, too_much, top_level_await
from grader.submission.records import Cell, Note, ReadLimits, shown, size

METADATA_KEY = "autograd_grader"
# Each becomes an object of Python's; numbers in outputs stay cheap, brackets do not.
_MOST_BRACKETS = 500_000
_LONGEST_ASSIGNMENT = 100


class Notebook(Struct, frozen=True):
    """The code cells' sources as they stand, None where a cell has none, and what is remembered."""

    sources: tuple[str | None, ...]
    assignment: str | None
    upgraded_from: int | None = None


def looks_like_notebook(text: str) -> bool:
    """Whether a text is most likely a notebook's JSON and no Python."""
    return text.lstrip().startswith("{") and '"cells"' in text and '"nbformat"' in text


def read_notebook(text: str, name: str) -> Notebook:
    """The notebook whose JSON is `text`. Raises UnreadableSubmission for what is none."""
    content = _json(text, name)
    if not isinstance(content, dict):
        raise _no_notebook(name, "its JSON is no object")
    version = content.get("nbformat")
    old = version if isinstance(version, int) and 0 < version < 4 else None
    if old is not None:
        content = _upgraded(content, text, name)
    cells = content.get("cells")
    if not isinstance(cells, list):
        raise _no_notebook(name, "it has no list of cells")
    code = [cell for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == "code"]
    return Notebook(tuple(_source(cell.get("source")) for cell in code), _assignment(content), old)


def readable_cells(
    notebook: Notebook, name: str, limits: ReadLimits
) -> tuple[tuple[Cell, ...], tuple[Note, ...]]:
    """The cells that parse, without magics, and notes on the others.

    Raises UnreadableSubmission where none is left.
    """
    total = sum(len(source) for source in notebook.sources if source)
    if total > limits.source_bytes:
        raise UnreadableSubmission(
            f"{shown(name)} is too large: "
            f"its cells hold more than {size(limits.source_bytes)} of code"
        )
    if len(notebook.sources) > limits.cells:
        raise UnreadableSubmission(
            f"{shown(name)} is too large: it has more than {limits.cells} code cells"
        )
    # Of all cells together: many that are just bearable would add up.
    overload = too_much("\n".join(source or "" for source in notebook.sources))
    if overload:
        raise UnreadableSubmission(f"{shown(name)} is too large: {overload}")
    cells: list[Cell] = []
    notes: list[Note] = []
    for number, source in enumerate(notebook.sources, 1):
        if source is None:
            notes.append(
                Note("cell-left-out", f"cell {number} has no readable source", None, number)
            )
            continue
        if source.strip():
            cell, met = _read_cell(number, source)
            notes.extend(met)
            if cell is not None:
                cells.append(cell)
    if not cells:
        raise _nothing_left(name, notes)
    return tuple(cells), tuple(notes)


def _read_cell(number: int, source: str) -> tuple[Cell | None, list[Note]]:
    notes: list[Note] = []
    try:
        tree = parse(source)
    except NotPython:
        plain = without_magics(source)
        if plain.dropped_by:
            message = f"cell {number} begins with {shown(plain.dropped_by)} and was left out"
            return None, [Note("cell-magic", message, None, number)]
        source = plain.source
        try:
            tree = parse(source)
        except NotPython as error:
            return None, [_left_out(number, source, error)]
        notes += [
            Note("magic-assignment", f"cell {number}, line {line}: {_UNDEFINED}", line, number)
            for line in plain.assigned
        ]
        if not source.strip():
            return None, notes
    line = top_level_await(tree, source)
    if line is not None:
        notes.append(Note("top-level-await", f"cell {number}, line {line}: {_AWAIT}", line, number))
    return Cell(number, source), notes


_UNDEFINED = "what only a notebook can run was dropped, and the name stays undefined"
_AWAIT = "await outside a function cannot be run by the grader"


def _left_out(number: int, source: str, error: NotPython) -> Note:
    where = f"cell {number}" + (f", line {error.line}" if error.line else "")
    text = blamed(source, error.line)
    what = f"{error.why}: {text}" if text else error.why
    return Note("cell-left-out", f"{where} is no valid Python ({what})", error.line, number)


def _nothing_left(name: str, notes: list[Note]) -> UnreadableSubmission:
    if not notes:
        return UnreadableSubmission(
            f"{shown(name)} has no code in it", "Did you save the notebook before you handed it in?"
        )
    first = next((note for note in notes if note.kind == "cell-left-out"), notes[0])
    return UnreadableSubmission(f"{shown(name)} has no cell of valid Python: {first.message}")


def _json(text: str, name: str) -> Any:
    if text.count("[") + text.count("{") > _MOST_BRACKETS:
        raise UnreadableSubmission(
            f"{shown(name)} is too large: its outputs hold too much",
            "Clear its outputs and save it again.",
        )
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        first = text.lstrip()[:1]
        if first not in ("{", "["):
            raise UnreadableSubmission(
                f"{shown(name)} is no notebook: it is not JSON",
                "If it is plain Python, let its name end in .py.",
            ) from None
        where = f"its JSON is broken at line {error.lineno}: {error.msg}"
        raise _no_notebook(name, where) from None
    except (RecursionError, MemoryError):
        raise _no_notebook(name, "its JSON is nested too deeply") from None
    except ValueError as error:
        raise _no_notebook(name, f"its JSON is broken: {shown(str(error))}") from None


def _upgraded(content: dict[str, Any], text: str, name: str) -> dict[str, Any]:
    # Imported where it is needed: it costs a tenth of a second, and such notebooks are rare.
    import nbformat

    logger = logging.getLogger("traitlets")
    was = logger.disabled
    logger.disabled = True
    try:
        return dict(nbformat.reads(text, as_version=4))  # type: ignore[no-untyped-call]
    except Exception:
        # Written by a stranger, the old layout can break any line of the converter.
        raise _no_notebook(
            name, f"it is in format {content.get('nbformat')} and cannot be upgraded"
        ) from None
    finally:
        logger.disabled = was


def _source(value: object) -> str | None:
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        value = "".join(value)
    if not isinstance(value, str):
        return None
    return value.replace("\r\n", "\n").replace("\r", "\n")


def _assignment(content: dict[str, Any]) -> str | None:
    metadata = content.get("metadata")
    ours = metadata.get(METADATA_KEY) if isinstance(metadata, dict) else None
    name = ours.get("assignment") if isinstance(ours, dict) else None
    if isinstance(name, str) and 0 < len(name) <= _LONGEST_ASSIGNMENT and name.isprintable():
        return name
    return None


def _no_notebook(name: str, why: str) -> UnreadableSubmission:
    return UnreadableSubmission(
        f"{shown(name)} is no notebook: {why}", "Save it again in Jupyter, or hand in a .py file."
    )
