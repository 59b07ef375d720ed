"""The student's source, parsed and never run: which line to show for what was observed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """A line, or a range of lines, in a compiled file."""

    filename: str
    line: int
    end_line: int | None = None


class Source:
    """Cells as (filename, source) pairs; trees of those that parse."""

    def __init__(self, cells: Sequence[tuple[str, str]]) -> None:
        self._lines = {name: source.splitlines() for name, source in cells}
        self._trees: dict[str, ast.Module] = {}
        self._functions: dict[str, tuple[str, ast.FunctionDef]] = {}
        for name, source in cells:
            try:
                self._trees[name] = ast.parse(source)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
            for statement in _statements(self._trees[name]):
                if isinstance(statement, ast.FunctionDef):
                    self._functions[statement.name] = (name, statement)

    def text(self, place: Place | None) -> str:
        """The line's text without its indentation, or nothing."""
        lines = self._lines.get(place.filename, []) if place else []
        if place is None or not 1 <= place.line <= len(lines):
            return ""
        return lines[place.line - 1].strip()

    def function(self, name: str) -> tuple[str, ast.FunctionDef] | None:
        """The last definition of `name`, the deeper ones after those around them."""
        return self._functions.get(name)

    def mentions(self, text: str) -> bool:
        """Whether any line holds `text`."""
        return any(text in line for lines in self._lines.values() for line in lines)

    def function_place(self, name: str) -> Place | None:
        """The `def` line; for a name bound otherwise, the line that binds it."""
        found = self.function(name)
        if found is not None:
            return Place(found[0], found[1].lineno, found[1].end_lineno)
        place = None
        for filename, tree in self._trees.items():
            for node in tree.body:
                targets = node.targets if isinstance(node, ast.Assign) else []
                if any(isinstance(t, ast.Name) and t.id == name for t in targets):
                    place = Place(filename, node.lineno)
        return place

    def only_statement(self, name: str) -> Place | None:
        """The one line of a function whose body is a single line, its docstring aside."""
        found = self.function(name)
        if found is None:
            return None
        body = found[1].body
        if ast.get_docstring(found[1]) is not None:
            body = body[1:]
        if len(body) != 1 or body[0].lineno != body[0].end_lineno:
            return None
        return Place(found[0], body[0].lineno)

    def find(self, name: str, test: Callable[[ast.AST], bool]) -> Place | None:
        """The first node in function `name` for which `test` holds, in line order."""
        found = self.function(name)
        if found is None:
            return None
        places = [
            (node.lineno, getattr(node, "end_lineno", None))
            for node in ast.walk(found[1])
            if hasattr(node, "lineno") and test(node)
        ]
        return Place(found[0], *min(places)) if places else None

    def nodes_at(self, place: Place | None) -> Iterator[ast.AST]:
        """All nodes that begin on the line."""
        tree = self._trees.get(place.filename) if place else None
        if tree is None or place is None:
            return
        for node in ast.walk(tree):
            if getattr(node, "lineno", None) == place.line:
                yield node

    def alias(self, name: str) -> str:
        """What a top-level `name = other.name` stands for; the name itself elsewhere."""
        for tree in self._trees.values():
            for node in tree.body:
                value = node.value if isinstance(node, ast.Assign) else None
                targets = node.targets if isinstance(node, ast.Assign) else []
                named = any(isinstance(t, ast.Name) and t.id == name for t in targets)
                if named and isinstance(value, (ast.Name, ast.Attribute)):
                    return dotted(value)
        return name

    def calls_anywhere(self, name: str) -> bool:
        """Whether any line calls something whose last name is `name`."""
        return any(
            isinstance(node, ast.Call) and dotted(node.func).rsplit(".", 1)[-1] == name
            for tree in self._trees.values()
            for node in ast.walk(tree)
        )

    def calls_within(self, name: str, called: str) -> bool:
        """Whether function `name`, or one of its own file that it calls, calls `called`."""
        waiting, seen = [name], {name}
        for one in waiting:  # grows
            found = self.function(one)
            for node in ast.walk(found[1]) if found is not None else ():
                if isinstance(node, ast.Call):
                    last = dotted(node.func).rsplit(".", 1)[-1]
                    if last == called:
                        return True
                    if last not in seen:
                        seen.add(last)
                        waiting.append(last)
        return False

    def returns_attribute(self, name: str, attribute: str) -> bool:
        """Whether function `name` hands on such an attribute: returned at once, or by a name."""
        found = self.function(name)
        nodes = list(ast.walk(found[1])) if found is not None else []
        returned = {id(node.value) for node in nodes if isinstance(node, (ast.Return, ast.Assign))}
        return any(
            isinstance(node, ast.Attribute) and node.attr == attribute and id(node) in returned
            for node in nodes
        )

    def calls_at(self, place: Place | None) -> set[str]:
        """Names of what is called on the line: `max`, `np.exp`, `zero_`."""
        names: set[str] = set()
        for node in self.nodes_at(place):
            if isinstance(node, ast.Call):
                names.add(dotted(node.func))
        return names


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """All statements, outer ones first; expressions are left aside, for speed."""
    level: list[ast.AST] = [tree]
    while level:
        yield from level
        level = [
            inner
            for node in level
            for field in ("body", "orelse", "finalbody", "handlers", "cases")
            for inner in getattr(node, field, ())
            if isinstance(inner, (ast.stmt, ast.excepthandler, ast.match_case))
        ]


def dotted(node: ast.expr) -> str:
    """`np.exp` for an attribute chain of names, the last attribute elsewhere."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        owner = dotted(node.value) if isinstance(node.value, (ast.Name, ast.Attribute)) else ""
        return f"{owner}.{node.attr}" if owner else node.attr
    return ""
