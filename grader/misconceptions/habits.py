"""Habits that a syntax tree shows: right, and yet worth a word."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from grader.misconceptions.source import dotted

LOOPS = (ast.For, ast.While, ast.AsyncFor)
COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
EVERY_KIND = (
    "function", "update", "initializer", "training", "numbers", "descent", "inspection",
)  # fmt: skip


@dataclass(frozen=True)
class Habit:
    """`line(function)` is the first line that shows it, or None. It needs `word` in the source."""

    slug: str
    word: str
    kinds: tuple[str, ...]
    line: Callable[[ast.FunctionDef], int | None]
    only_where_right: bool = False


def writes_to_data(function: ast.FunctionDef) -> int | None:
    """`p.data = ...`, `p.data -= ...`, `p.data[:] = ...`, `p.data.sub_(...)`; not a gradient's."""
    nodes = [node for node in ast.walk(function) if isinstance(node, (ast.stmt, ast.expr))]
    lines = [node.lineno for node in nodes if _writes(node)]
    return min(lines, default=None)


def _writes(node: ast.AST) -> bool:
    if isinstance(node, ast.Assign):
        return any(_is_data(_without_index(target)) for target in node.targets)
    if isinstance(node, ast.AugAssign):
        return _is_data(_without_index(node.target))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        in_place = node.func.attr.endswith("_") and not node.func.attr.endswith("__")
        return in_place and _is_data(_without_index(node.func.value))
    return False


def _without_index(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.Subscript) else node


def _is_data(node: ast.expr) -> bool:
    if not isinstance(node, ast.Attribute) or node.attr != "data":
        return False
    return not (isinstance(node.value, ast.Attribute) and node.value.attr == "grad")


def retains_graph(function: ast.FunctionDef) -> int | None:
    """`backward(retain_graph=True)`."""
    lines = [
        node.lineno
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "backward"
        and any(_says_true(keyword) for keyword in node.keywords)
    ]
    return min(lines, default=None)


def _says_true(keyword: ast.keyword) -> bool:
    return (
        keyword.arg == "retain_graph"
        and isinstance(keyword.value, ast.Constant)
        and keyword.value.value is True
    )


def prints_each_step(function: ast.FunctionDef) -> int | None:
    """`print` in an innermost loop, under no condition."""
    for loop in ast.walk(function):
        if not isinstance(loop, LOOPS):
            continue
        inside = list(_unconditional(loop.body))
        if any(isinstance(node, LOOPS) for node in inside):
            continue  # once a pass is a line now and then
        for node in inside:
            if isinstance(node, ast.Call) and dotted(node.func) == "print":
                return node.lineno
    return None


def _unconditional(body: list[ast.stmt]) -> Iterator[ast.AST]:
    for statement in body:
        if isinstance(statement, (ast.If, ast.FunctionDef, ast.ClassDef)):
            continue
        yield statement
        if isinstance(statement, (ast.With, ast.Try, *LOOPS)):
            yield from _unconditional(statement.body)
        else:
            yield from ast.walk(statement)


def visits_elements(function: ast.FunctionDef) -> int | None:
    """A loop or comprehension over an argument's elements; not one over a list of layers."""
    names = {argument.arg for argument in function.args.args}
    for node in ast.walk(function):
        # `flat = x.reshape(-1)` is x by another name.
        if isinstance(node, ast.Assign) and _root(node.value) in names:
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    lines = [
        iterated.lineno
        for node in ast.walk(function)
        for iterated in _iterated(node)
        if _over_elements(iterated, names)
    ]
    return min(lines, default=None)


def _iterated(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return [node.iter]
    if isinstance(node, COMPREHENSIONS):
        return [generator.iter for generator in node.generators]
    return []


def _over_elements(iterated: ast.expr, names: set[str]) -> bool:
    nodes = list(ast.walk(iterated))
    if any(isinstance(node, (ast.Tuple, ast.List, ast.Dict)) for node in nodes):
        return False
    return any(isinstance(node, ast.Name) and node.id in names for node in nodes)


def _root(node: ast.expr) -> str:
    """The name that a chain of attributes, calls and indices begins with."""
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


HABITS = (
    Habit("data-attribute-update", ".data", ("update", "training", "descent"), writes_to_data),
    Habit("needless-retain-graph", "retain_graph", EVERY_KIND, retains_graph),
    Habit("slow-python-loop", "for ", ("function",), visits_elements, only_where_right=True),
    Habit("prints-in-loop", "print", EVERY_KIND, prints_each_step),
)
