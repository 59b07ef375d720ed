"""What an operator sees (a function and what its names hold) and what it gives back (one edit)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

Node = TypeVar("Node", bound=ast.AST)
Block: TypeAlias = list[ast.stmt]


@dataclass(frozen=True)
class Edit:
    """Put `new` where `old` stands: an expression, a statement list or another node list.

    `at` is the node whose line is reported. `text` says what changed where the statement before
    and after would not show it. `equivalent` is the reason why no fair check can tell the two
    apart.
    """

    old: object
    new: object
    at: ast.AST
    text: str = ""
    equivalent: str = ""


@dataclass(frozen=True)
class Scope:
    """One top-level function of a model answer, with what is known about its names."""

    module: ast.Module
    function: ast.FunctionDef
    no_gradient: frozenset[str]

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the body in source order; the signature is not the operators' business."""
        return tuple(node for statement in self.function.body for node in _preorder(statement))

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """Each node's parent."""
        return {
            child: node for node in ast.walk(self.function) for child in ast.iter_child_nodes(node)
        }

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of the arguments, in order."""
        arguments = self.function.args
        return tuple(
            a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        )

    @cached_property
    def bindings(self) -> dict[str, list[ast.expr]]:
        """What each local name is given by plain assignments, in source order."""
        found: dict[str, list[ast.expr]] = {}
        for node in self.find(ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node.value)
        return found

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Names that hold Python numbers: numeric defaults, counters, `len(...)`, `.item()`."""
        arguments = self.function.args
        named = [*arguments.posonlyargs, *arguments.args]
        pairs = zip(reversed(named), reversed(arguments.defaults), strict=False)
        found = {argument.arg for argument, default in pairs if is_number(default)}
        found |= {name for name, values in self.bindings.items() if is_number(values[0])}
        for loop in self.find(ast.For):
            if is_call_of(loop.iter, "range"):
                found |= names_in(loop.target)
            elif is_call_of(loop.iter, "enumerate") and isinstance(loop.target, ast.Tuple):
                found |= names_in(loop.target.elts[0])
        return frozenset(found)

    @cached_property
    def lists(self) -> frozenset[str]:
        """Names that hold lists: bound to one, iterated over, or unpacked with a star."""
        found = {
            name
            for name, values in self.bindings.items()
            if isinstance(values[0], ast.List | ast.ListComp | ast.Tuple)
        }
        for node in self.nodes:
            if isinstance(node, ast.For | ast.comprehension) and isinstance(node.iter, ast.Name):
                found.add(node.iter.id)
        for star in self.find(ast.Starred):
            if isinstance(star.value, ast.Name):
                found.add(star.value.id)
        return frozenset(found)

    @cached_property
    def tensors(self) -> tuple[str, ...]:
        """Local names that hold neither numbers nor lists, in the order in which they appear."""
        stored = (n.id for n in self.find(ast.Name) if isinstance(n.ctx, ast.Store))
        known = dict.fromkeys((*self.parameters, *stored))
        return tuple(name for name in known if name not in self.numbers | self.lists)

    def find(self, *kinds: type[Node]) -> Iterator[Node]:
        """The body's nodes of these kinds, in source order."""
        return (node for node in self.nodes if isinstance(node, kinds))

    def blocks(self) -> Iterator[Block]:
        """Every statement list, without the function's docstring."""
        for owner in (self.function, *self.nodes):
            for field in ("body", "orelse", "finalbody"):
                block = getattr(owner, field, None)
                if isinstance(block, list) and block:
                    yield block

    def statements(self) -> Iterator[tuple[Block, int, ast.stmt]]:
        """Each statement with the list that holds it and its place there; no docstrings."""
        for block in self.blocks():
            for index, statement in enumerate(block):
                if not is_docstring(statement):
                    yield block, index, statement

    def returned(self) -> Iterator[ast.expr]:
        """Each returned tensor expression; a returned list or tuple counts item by item."""
        for node in self.find(ast.Return):
            if isinstance(node.value, ast.List | ast.Tuple):
                yield from node.value.elts
            elif node.value is not None and not self.is_list(node.value):
                yield node.value

    def rebinds(self, name: str) -> bool:
        """Whether the body gives a name another value than the one it came with."""
        stores = (n for n in self.find(ast.Name) if isinstance(n.ctx, ast.Store))
        return any(node.id == name for node in stores)

    def is_list(self, value: ast.expr) -> bool:
        """Whether the expression is known to be a list."""
        literal = isinstance(value, ast.List | ast.ListComp | ast.Tuple)
        return literal or (isinstance(value, ast.Name) and value.id in self.lists)

    def statement_of(self, node: ast.AST) -> ast.AST:
        """The innermost statement around a node, or the node itself when it is one."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node


Operator: TypeAlias = Callable[[Scope], Iterator[Edit]]


def _preorder(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _preorder(child)


def substitute(tree: Any, old: object, new: object) -> Any:
    """A syntax tree (or node list) in which the object `old` is `new`.

    What holds `old` is copied; the rest is shared, so that its nodes are still found by identity.
    """
    if tree is old:
        return new
    if isinstance(tree, list):
        items = [substitute(item, old, new) for item in tree]
        return items if any(a is not b for a, b in zip(items, tree, strict=True)) else tree
    if isinstance(tree, ast.AST):
        fields = dict(ast.iter_fields(tree))
        changed = {name: substitute(value, old, new) for name, value in fields.items()}
        if any(changed[name] is not fields[name] for name in fields):
            return ast.copy_location(type(tree)(**changed), tree)
    return tree


def spliced(block: Block, start: int, stop: int, middle: list[ast.stmt]) -> Block:
    """The block with `block[start:stop]` replaced; never empty."""
    return [*block[:start], *middle, *block[stop:]] or [ast.Pass()]


def headline(statement: ast.AST) -> str:
    """A statement's text; of a compound one, its first line."""
    return text_of(statement).splitlines()[0]


def text_of(tree: Any) -> str:
    """A tree as source text; new nodes take the lines of what is around them."""
    return ast.unparse(ast.fix_missing_locations(tree)).strip()


def expression(code: str, **parts: ast.expr) -> ast.expr:
    """Parse `code` and put the parts where their names stand."""
    tree: Any = ast.parse(code, mode="eval").body
    for node in [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in parts]:
        tree = substitute(tree, node, parts[node.id])
    result: ast.expr = tree
    return result


def called(node: ast.AST) -> str:
    """The last part of a called name: `exp` of `torch.exp(x)`; empty for anything else."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def renamed(call: ast.Call, name: str) -> ast.Call:
    """The same call of another function or method of the same owner."""
    function: ast.expr = ast.Name(name, ast.Load())
    if isinstance(call.func, ast.Attribute):
        function = ast.Attribute(call.func.value, name, ast.Load())
    return ast.Call(function, call.args, call.keywords)


def is_call_of(node: ast.AST, name: str) -> bool:
    """Whether the node is a plain call `name(...)`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def is_number(node: ast.AST) -> bool:
    """Whether an expression plainly gives a Python number."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float) and not isinstance(node.value, bool)
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    return called(node) in {"len", "int", "float", "item", "numel", "size"}


def is_docstring(statement: ast.stmt) -> bool:
    """Whether a statement is a bare string."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def is_no_grad(node: ast.AST) -> bool:
    """Whether an expression is `no_grad()`, however it was imported."""
    return called(node) == "no_grad"


def names_in(node: ast.AST) -> set[str]:
    """Every name below a node."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
