"""Operators on what autograd sees: no_grad, resets, in-place updates, cuts, leaves."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.authoring.mutation import equivalence, unseen
from grader.authoring.mutation.edits import (
    Edit,
    Operator,
    Scope,
    called,
    expression,
    headline,
    is_no_grad,
    renamed,
    spliced,
)


def drop_reset(scope: Scope) -> Iterator[Edit]:
    """`p.grad.zero_()` or `p.grad = ...` is gone."""
    for block, index, statement in scope.statements():
        zeroed = isinstance(statement, ast.Expr) and called(statement.value) == "zero_"
        replaced = isinstance(statement, ast.Assign) and any(
            isinstance(t, ast.Attribute) and t.attr == "grad" for t in statement.targets
        )
        if zeroed or replaced:
            new = spliced(block, index, index + 1, [])
            yield Edit(block, new, statement, f"{headline(statement)} was dropped")


def drop_no_grad(scope: Scope) -> Iterator[Edit]:
    """The body of `with torch.no_grad():` stands outside of it; a decorator is gone."""
    for block, index, statement in scope.statements():
        if isinstance(statement, ast.With) and is_no_grad(statement.items[0].context_expr):
            new = spliced(block, index, index + 1, statement.body)
            text = f"{headline(statement)} was dropped and its body kept"
            yield Edit(block, new, statement, text)
    decorators = scope.function.decorator_list
    for decorator in decorators:
        if is_no_grad(decorator):
            kept = [other for other in decorators if other is not decorator]
            yield Edit(decorators, kept, decorator, f"@{ast.unparse(decorator)} was dropped")


def no_grad_not_called(scope: Scope) -> Iterator[Edit]:
    """`with torch.no_grad:`."""
    for item in scope.find(ast.withitem):
        call = item.context_expr
        if is_no_grad(call) and isinstance(call, ast.Call):
            yield Edit(call, call.func, call)


def body_under_no_grad(scope: Scope) -> Iterator[Edit]:
    """The whole function records nothing."""
    if not any(
        isinstance(s, ast.Import) and any(a.name == "torch" and not a.asname for a in s.names)
        for s in scope.module.body
    ):
        return
    body = scope.function.body
    guard = ast.withitem(expression("torch.no_grad()"))
    new: list[ast.stmt] = [ast.With([guard], body)]
    reason = equivalence.under_no_grad(scope) or unseen.under_no_grad(scope)
    yield Edit(body, new, body[0], "the whole body was put under torch.no_grad()", reason)


def rebind_update(scope: Scope) -> Iterator[Edit]:
    """`p -= step` as `p = p - step`: a new tensor instead of an update."""
    for block, index, node in scope.statements():
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
            value = ast.BinOp(ast.Name(name, ast.Load()), node.op, node.value)
            assign = ast.Assign([ast.Name(name, ast.Store())], value, lineno=node.lineno)
            new = spliced(block, index, index + 1, [assign])
            text = f"{headline(node)} became {headline(assign)}"
            yield Edit(block, new, node, text, equivalence.own_number(scope, node.target))


def out_of_place_method(scope: Scope) -> Iterator[Edit]:
    """`p.sub_(step)` as `p.sub(step)`, `zero_()` and `copy_(...)` as `clone()`."""
    for call in scope.find(ast.Call):
        name = called(call)
        if isinstance(call.func, ast.Attribute) and _is_in_place(name):
            if name in {"zero_", "copy_", "fill_"}:
                yield Edit(call, expression("owner.clone()", owner=call.func.value), call)
            elif name not in {"requires_grad_", "detach_"}:
                yield Edit(call, renamed(call, name.removesuffix("_")), call)


def in_place_function(scope: Scope) -> Iterator[Edit]:
    """`torch.log(x)` as `torch.log_(x)`: the argument is overwritten."""
    for call in scope.find(ast.Call):
        known = called(call) in {"exp", "log", "relu", "sigmoid", "tanh", "clamp"}
        if known and call.args and isinstance(call.func, ast.Attribute):
            reason = equivalence.in_place(scope, call.args[0])
            yield Edit(call, renamed(call, called(call) + "_"), call, equivalent=reason)


def detach_returned(scope: Scope) -> Iterator[Edit]:
    """What is returned has no graph."""
    for value in scope.returned():
        reason = unseen.detached(scope, value)
        yield Edit(value, expression("value.detach()", value=value), value, equivalent=reason)


def rewrap_returned(scope: Scope) -> Iterator[Edit]:
    """What is returned is a new leaf, so that backward runs and reaches nothing."""
    for value in scope.returned():
        new = expression("value.detach().clone().requires_grad_()", value=value)
        reason = equivalence.rewrapped(scope, value) or unseen.rewrapped(scope, value)
        yield Edit(value, new, value, equivalent=reason)


def rewrap_intermediate(scope: Scope) -> Iterator[Edit]:
    """A value on the way is a new leaf: what came before it gets no gradient."""
    for node in scope.find(ast.Assign):
        value = node.value
        made = called(value) in equivalence.CREATORS
        if not made and not scope.is_list(value) and isinstance(value, ast.Call | ast.BinOp):
            new = expression("value.detach().clone().requires_grad_()", value=value)
            reason = unseen.rewrapped_intermediate(scope, node)
            yield Edit(value, new, value, equivalent=reason)


def data_of_operand(scope: Scope) -> Iterator[Edit]:
    """`x.data` for one use of x: one path of the graph is cut."""
    for name in scope.find(ast.Name):
        parent = scope.parents[name]
        operand = isinstance(parent, ast.BinOp | ast.UnaryOp | ast.Compare | ast.Call)
        counted = called(parent) == "len" or isinstance(scope.parents[parent], ast.While)
        if counted or not operand:
            continue
        if name.id in scope.tensors and isinstance(name.ctx, ast.Load):
            reason = equivalence.detached_read(scope, name)
            yield Edit(name, expression("x.data", x=name), name, equivalent=reason)


def gradient_to_value(scope: Scope) -> Iterator[Edit]:
    """`p.grad` as `p`: a step along the parameter, or the parameter zeroed."""
    for node in scope.find(ast.Attribute):
        if node.attr == "grad" and isinstance(node.ctx, ast.Load):
            yield Edit(node, node.value, node)


def drop_requires_grad(scope: Scope) -> Iterator[Edit]:
    """`requires_grad=True` or `.requires_grad_()` is gone."""
    for call in scope.find(ast.Call):
        kept = [keyword for keyword in call.keywords if keyword.arg != "requires_grad"]
        if len(kept) < len(call.keywords):
            yield Edit(call, ast.Call(call.func, call.args, kept), call)
        if called(call) == "requires_grad_" and isinstance(call.func, ast.Attribute):
            yield Edit(call, call.func.value, call)


def scaled_leaf(scope: Scope) -> Iterator[Edit]:
    """A parameter is scaled after it was made: it is no leaf any more."""
    for call in scope.find(ast.Call):
        if any(keyword.arg == "requires_grad" for keyword in call.keywords):
            yield Edit(call, expression("leaf * 0.5", leaf=call), call)


def zeros_for_randn(scope: Scope) -> Iterator[Edit]:
    """Weights start at zero."""
    for call in scope.find(ast.Call):
        if called(call) == "randn":
            reason = equivalence.zero_draw(scope, call)
            yield Edit(call, renamed(call, "zeros"), call, equivalent=reason)


def _is_in_place(name: str) -> bool:
    return name.endswith("_") and not name.startswith("_")


OPERATORS: tuple[Operator, ...] = (
    drop_reset,
    drop_no_grad,
    no_grad_not_called,
    body_under_no_grad,
    rebind_update,
    out_of_place_method,
    in_place_function,
    detach_returned,
    rewrap_returned,
    rewrap_intermediate,
    data_of_operand,
    gradient_to_value,
    drop_requires_grad,
    scaled_leaf,
    zeros_for_randn,
)
