"""Parsing strangers' source without running it, without a crash, a flood of warnings or a hang."""

from __future__ import annotations

import ast
import re
import warnings

from grader.submission.records import shown

# An honest answer has a few thousand. The parser itself survives more, but takes
# seconds and hundreds of megabytes for it.
_MOST_TOKENS = 80_000
# Whoever walks the tree recursively afterwards spends two Python frames a level, of a thousand.
_DEEPEST = 300
# CPython 3.11 searches an f-string from its start for every field in it: quadratic, about 3e9
# characters a second.
_MOST_FSTRING_WORK = 3_000_000_000

_TOKEN = re.compile(r"[\w.]+|[^\w\s]")
_FSTRING = re.compile(r"[fF][rR]?['\"]")


class NotPython(Exception):
    """Source that does not parse. `line` is 1-based, or None where no line is to blame."""

    def __init__(self, why: str, line: int | None = None) -> None:
        super().__init__(why, line)
        self.why = why
        self.line = line


def parse(source: str) -> ast.Module:
    """The syntax tree of `source`, whose line ends are newlines. Raises NotPython only."""
    overload = too_much(source)
    if overload:
        raise NotPython(overload)
    if "\0" in source:
        # Versions of Python disagree on the exception, and none says the line.
        raise NotPython("it has a sign that source cannot have", _odd_line(source))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except SyntaxError as error:
        raise NotPython(shown(error.msg or "invalid syntax", 160), _line(error, source)) from None
    except (RecursionError, MemoryError):
        raise NotPython("it is nested too deeply to be read") from None
    except ValueError:
        # Half of a surrogate pair, which a notebook's JSON can hold.
        raise NotPython("it has a sign that source cannot have", _odd_line(source)) from None
    _refuse_depth(tree)
    return tree


def blamed(source: str, line: int | None) -> str:
    """The text of that line, fit for a message; empty where there is none."""
    lines = source.split("\n")
    return shown(lines[line - 1].strip()) if line is not None and line <= len(lines) else ""


def top_level_await(tree: ast.Module, source: str) -> int | None:
    """The line of the first `await` that stands outside every function, or None."""
    if "await" not in source and "async" not in source:
        return None
    waiting: list[ast.AST] = list(reversed(tree.body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith):
            return node.lineno
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        waiting.extend(reversed(list(ast.iter_child_nodes(node))))
    return None


def too_much(source: str) -> str | None:
    """Why parsing `source` would take too long, or None. A cheap look, before the parser's."""
    if len(source) > _MOST_TOKENS and sum(1 for _ in _TOKEN.finditer(source)) > _MOST_TOKENS:
        return f"it has more than {_MOST_TOKENS:,} words and signs"
    if len(source) * source.count("{") > _MOST_FSTRING_WORK and _FSTRING.search(source):
        return "it has too many braces to be read"
    return None


def _refuse_depth(tree: ast.Module) -> None:
    level: list[ast.AST] = [tree]
    for _ in range(_DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    raise NotPython("it is nested too deeply to be read")


def _line(error: SyntaxError, source: str) -> int | None:
    if not error.lineno or error.lineno < 1:
        return None
    return min(error.lineno, source.count("\n") + 1)


def _odd_line(source: str) -> int | None:
    for number, text in enumerate(source.split("\n"), 1):
        if "\0" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
            return number
    return None
