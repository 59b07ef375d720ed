"""Run a submission's top-level statements, one by one, under a time budget.

One that fails or overruns is noted with its line and skipped; what is defined after it still
loads. A stand-in is bound right after the statement that defines the original.
"""

from __future__ import annotations
import __future__

import ast
import linecache
import sys
import time
import types
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from . import messages as m
from .capture import describe_exception, short_text

MODULE_NAME = "submission"
SHADOWED = (MODULE_NAME, "grader", "grader.notebook")  # what loading puts into sys.modules
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
Alarm = Callable[[float], AbstractContextManager[None]]


def load(
    request: m.Load, alarm: Alarm, progress: Callable[[m.Progress], None] | None = None
) -> tuple[types.ModuleType, list[m.LoadNote]]:
    """A module made from the request's cells. `alarm(seconds)` raises TimeLimit in its body.

    `progress` hears of each statement before it runs, should it never come back.
    """
    module = types.ModuleType(MODULE_NAME)
    module.__dict__["__file__"] = request.cells[0].filename if request.cells else ""
    sys.modules[MODULE_NAME] = module
    sys.modules["grader"], sys.modules["grader.notebook"] = _silent_grader()
    return module, _run(request, module, alarm, progress)


def _run(
    request: m.Load,
    module: types.ModuleType,
    alarm: Alarm,
    progress: Callable[[m.Progress], None] | None,
) -> list[m.LoadNote]:
    library = _stand_ins(request)
    end = time.monotonic() + request.total_seconds
    notes: list[m.LoadNote] = []
    flags = 0
    number = 0
    for cell in request.cells:
        lines = cell.source.splitlines(keepends=True)
        linecache.cache[cell.filename] = (len(cell.source), None, lines, cell.filename)
        try:
            tree = ast.parse(cell.source, cell.filename)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = getattr(error, "lineno", None) or 0
            notes.append(m.LoadNote("cannot_parse", short_text(error), cell.filename, line))
            continue
        for statement in tree.body:
            # The rest of the file was written under these flags, so it is compiled under them.
            flags |= _future_flags(statement)
            number += 1
            if number in request.skip:
                continue
            if progress is not None:
                progress(m.Progress(number, cell.filename, statement.lineno))
            note = _statement(statement, cell.filename, module, flags, request, end, alarm)
            if note is not None:
                notes.append(note)
            _bind(library, module)
    return notes


def _statement(
    statement: ast.stmt,
    filename: str,
    module: types.ModuleType,
    flags: int,
    request: m.Load,
    end: float,
    alarm: Alarm,
) -> m.LoadNote | None:
    budget = min(request.statement_seconds, end - time.monotonic())
    if budget <= 0 and not isinstance(statement, DEFINITIONS):
        why = f"not run: the {request.total_seconds:g} s for loading were used up"
        return m.LoadNote("load_overrun", why, filename, statement.lineno)
    try:
        with alarm(max(budget, 0.2)):
            code = compile(
                ast.Module([statement], []), filename, "exec", flags=flags, dont_inherit=True
            )
            exec(code, module.__dict__)
    except BaseException as error:
        raised = describe_exception(error, {filename})
        line = raised.frames[0].line if raised.frames else statement.lineno
        if raised.type == "TimeLimit":
            why = f"stopped after {request.statement_seconds:g} s and skipped"
            return m.LoadNote("load_overrun", why, filename, line)
        return m.LoadNote("load_error", f"{raised.type}: {raised.message}", filename, line)
    return None


def _future_flags(statement: ast.stmt) -> int:
    if not isinstance(statement, ast.ImportFrom) or statement.module != "__future__":
        return 0
    features = [getattr(__future__, alias.name, None) for alias in statement.names]
    return sum(feature.compiler_flag for feature in features if feature is not None)


def _stand_ins(request: m.Load) -> dict[str, Any]:
    """The named library pieces, from source: a plain module of PyTorch's own functions."""
    if not request.stand_ins:
        return {}
    namespace: dict[str, Any] = {"__name__": "library_pieces"}
    exec(compile(request.library, "<library pieces>", "exec", dont_inherit=True), namespace)
    return {name: namespace[name] for name in request.stand_ins}


def _bind(library: dict[str, Any], module: types.ModuleType) -> None:
    # After every statement, so that neither an alias nor a later redefinition keeps the original.
    for name, piece in library.items():
        module.__dict__[name] = piece


def _silent_grader() -> tuple[types.ModuleType, types.ModuleType]:
    """`from grader.notebook import check` in a notebook does nothing here."""
    package, notebook = types.ModuleType("grader"), types.ModuleType("grader.notebook")
    package.__path__ = []
    notebook.__dict__["check"] = lambda *args, **kwargs: None
    notebook.__dict__["load_ipython_extension"] = lambda *args, **kwargs: None
    package.__dict__["notebook"] = notebook
    package.__dict__["load_ipython_extension"] = notebook.__dict__["load_ipython_extension"]
    return package, notebook
