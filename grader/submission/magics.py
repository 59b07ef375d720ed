"""Turning a notebook cell into plain Python: what only IPython understands is blanked.

Line numbers never change. A cell that parses as it stands is never touched, so a string's line
that begins with % is safe; in one that does not, the lines inside strings and brackets are skipped.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# These run their cell's body as Python in the notebook's own namespace.
_PYTHON_CELL_MAGICS = frozenset(
    {"time", "timeit", "capture", "prun", "memit", "mprun", "lprun", "debug", "snakeviz", "grade"}
)

_CELL_MAGIC = re.compile(r"\s*%%\s*([A-Za-z_][\w.]*)?")
_LINE_MAGIC = re.compile(
    r"""[ \t]*(?:
        %{1,2}\s*[A-Za-z_]                     # %matplotlib inline
      | !                                      # !pip install torch
      | \?{1,2}\s*[\w%*.]                      # ?scale
      | [%\w.*]+\s*\?{1,2}[ \t]*(?:\#.*)?$     # scale?
      | (?:pip3?|conda|mamba)[ \t]+[a-z]+\b(?![ \t]*[=.(\[,:])   # pip install torch, by automagic
    )""",
    re.VERBOSE,
)
_ASSIGNED_MAGIC = re.compile(
    r"""[ \t]*[A-Za-z_][\w.,\[\]* \t()'"]*=[ \t]*(?:%{1,2}[A-Za-z_]|!(?!=))"""
)
# Strings are matched whole, with possessive repeats: no way back, so no quadratic search.
_SIGN = re.compile(
    r"""\#[^\n]*
      | '''(?:[^\\']++|\\.?|'(?!''))*+(?:'''|\Z)
      | \"\"\"(?:[^\\"]++|\\.?|"(?!""))*+(?:\"\"\"|\Z)
      | '(?:[^\\'\n]++|\\.)*+'?
      | "(?:[^\\"\n]++|\\.)*+"?
      | \\\n | [()\[\]{}] | \n
    """,
    re.VERBOSE | re.DOTALL,
)


class Plain(NamedTuple):
    """A cell without magics. `dropped_by` names the cell magic whose cell is no Python."""

    source: str
    assigned: tuple[int, ...] = ()
    dropped_by: str | None = None


def without_magics(source: str) -> Plain:
    """Blank every magic of a cell that does not parse as it stands. Lines are kept in number."""
    lines = source.split("\n")
    for index, line in enumerate(lines):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = _CELL_MAGIC.match(line)
        if not found:
            break
        name = found[1] or ""
        if name not in _PYTHON_CELL_MAGICS:
            return Plain("", dropped_by=f"%%{name}")
        lines[index] = ""
    return _without_line_magics(_without_common_indent(lines))


def _without_common_indent(lines: list[str]) -> list[str]:
    """IPython takes the first line's indentation from every line that has it."""
    first = next((line for line in lines if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip(" \t"))]
    return [line.removeprefix(indent) for line in lines] if indent else lines


def _without_line_magics(lines: list[str]) -> Plain:
    source = "\n".join(lines)
    kept = list(lines)
    assigned: list[int] = []
    row, position, depth, fresh = 0, 0, 0, True
    while position < len(source):
        if fresh:
            line = lines[row]
            is_assigned = _ASSIGNED_MAGIC.match(line) is not None
            if is_assigned or _LINE_MAGIC.match(line):
                if is_assigned:
                    assigned.append(row + 1)
                kept[row] = _placeholder(line)
                position += len(line) + 1
                while lines[row].rstrip().endswith("\\") and row + 1 < len(lines):
                    row += 1
                    kept[row] = ""
                    position += len(lines[row]) + 1
                row += 1
                continue
        found = _SIGN.search(source, position)
        if not found:
            break
        text = found[0]
        row += text.count("\n")
        position = found.end()
        fresh = text == "\n" and depth == 0
        if text in "([{":
            depth += 1
        elif text in ")]}":
            depth = max(depth - 1, 0)
    return Plain("\n".join(kept), tuple(assigned))


def _placeholder(line: str) -> str:
    """A block must not lose its only statement; at the margin an empty line does."""
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    return f"{indent}pass" if indent else ""
