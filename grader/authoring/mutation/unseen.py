"""Reasons why a change cannot be seen where a function only reads, looks at things, or makes data.

As in `equivalence`, only what follows from the code in view is claimed.
"""

from __future__ import annotations

import ast

from grader.authoring.mutation.edits import Scope, called, is_docstring, is_no_grad, names_in

MAKES_DATA = frozenset({"tensor", "zeros", "ones", "full"})
LOOKS = frozenset(
    {"add", "append", "extend", "pop", "update", "name", "rstrip", "removesuffix", "hasattr",
     "getattr", "isinstance", "len", "list", "set", "tuple", "type", "range"}
)  # fmt: skip


def detached(scope: Scope, value: ast.expr) -> str:
    """What is returned, detached."""
    if _is_gradient(value):
        return "what backward leaves in .grad has no history"
    if _is_data(value):
        return "a tensor made of data has no history"
    return ""


def rewrapped(scope: Scope, value: ast.expr) -> str:
    """What is returned, as a leaf of its own."""
    return "a gradient is asked for by its values" if _is_gradient(value) else ""


def rewrapped_intermediate(scope: Scope, assign: ast.Assign) -> str:
    """A value on the way as a leaf of its own, where its own gradient is all that is returned."""
    names = {target.id for target in assign.targets if isinstance(target, ast.Name)}
    returned = list(scope.returned())
    own = [value for value in returned if _is_gradient(value) and names_in(value) <= names]
    if returned and len(own) == len(returned):
        return "the gradient at the tensor itself needs nothing of what came before it"
    return ""


def under_no_grad(scope: Scope) -> str:
    """The whole body under `no_grad`."""
    body = [s for s in scope.function.body if not is_docstring(s)]
    if body and all(isinstance(s, ast.Return) and s.value and _is_data(s.value) for s in body):
        return "the function only makes data, which no_grad does not change"
    own = {f.name: f for f in scope.module.body if isinstance(f, ast.FunctionDef)}
    waiting, seen = [scope.function.name], {scope.function.name}
    for name in waiting:  # grows
        if any(_computes(node, set(own)) for s in own[name].body for node in ast.walk(s)):
            return ""
        for node in ast.walk(own[name]):
            if called(node) in own and called(node) not in seen:
                seen.add(called(node))
                waiting.append(called(node))
    return "it looks at what was recorded, and computes no tensor"


def swapped(first: ast.stmt, second: ast.stmt) -> str:
    """Two neighbouring statements in the other order."""
    for asking, other in ((first, second), (second, first)):
        name = _retained(asking)
        backward = any(called(node) in ("backward", "grad") for node in ast.walk(other))
        stored = any(
            isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
            for n in ast.walk(other)
        )
        if name and isinstance(other, ast.Assign) and not backward and not stored:
            return "a tensor may be asked to keep its gradient at any time before backward"
    return ""


def past_no_grad(statement: ast.stmt) -> bool:
    """Whether a statement is a block under `no_grad` that only writes in place."""
    return (
        isinstance(statement, ast.With)
        and all(is_no_grad(item.context_expr) for item in statement.items)
        and all(isinstance(inner, ast.AugAssign) for inner in statement.body)
    )


def _is_gradient(value: ast.expr) -> bool:
    return isinstance(value, ast.Attribute) and value.attr == "grad"


def _is_data(value: ast.expr) -> bool:
    if not isinstance(value, ast.Call) or called(value) not in MAKES_DATA:
        return False
    return all(keyword.arg != "requires_grad" for keyword in value.keywords)


def _retained(statement: ast.stmt) -> str:
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or called(call) != "retain_grad":
        return ""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    return owner.id if isinstance(owner, ast.Name) else ""


def _computes(node: ast.AST, own: set[str]) -> bool:
    """Whether a node may make a tensor: arithmetic, or a call of what is not known to look only."""
    if isinstance(node, ast.BinOp | ast.AugAssign):
        return True
    if isinstance(node, ast.UnaryOp):
        return not isinstance(node.op, ast.Not)
    return isinstance(node, ast.Call) and called(node) not in LOOKS | own
