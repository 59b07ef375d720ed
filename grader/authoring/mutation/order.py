"""Operators on statements: dropped, repeated, in another order, inside or outside a loop."""

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
    is_call_of,
    is_docstring,
    spliced,
    substitute,
)


def delete_statement(scope: Scope) -> Iterator[Edit]:
    """One statement is gone."""
    for block, index, statement in scope.statements():
        if not isinstance(statement, ast.Return | ast.Pass):
            new = spliced(block, index, index + 1, [])
            yield Edit(block, new, statement, f"{headline(statement)} was deleted")


def repeat_statement(scope: Scope) -> Iterator[Edit]:
    """An update, a backward or an append is done twice."""
    for block, index, statement in scope.statements():
        call = statement.value if isinstance(statement, ast.Expr) else statement
        if isinstance(statement, ast.AugAssign) or called(call) in {"backward", "append", "sub_"}:
            new = spliced(block, index, index + 1, [statement, statement])
            yield Edit(block, new, statement, f"{headline(statement)} was repeated")


def swap_statements(scope: Scope) -> Iterator[Edit]:
    """Two neighbouring statements in the other order."""
    for block, index, first in scope.statements():
        if index + 1 < len(block):
            second = block[index + 1]
            new = spliced(block, index, index + 2, [second, first])
            text = f"{headline(second)} was moved before {headline(first)}"
            reason = equivalence.swapped(first, second) or unseen.swapped(first, second)
            yield Edit(block, new, second, text, reason)


def move_earlier(scope: Scope) -> Iterator[Edit]:
    """A statement runs two places too early."""
    for block, index, first in scope.statements():
        if index + 2 < len(block):
            second, third = block[index + 1 : index + 3]
            new = spliced(block, index, index + 3, [third, first, second])
            text = f"{headline(third)} was moved before {headline(first)}"
            reasons = (equivalence.swapped(first, third), equivalence.swapped(second, third))
            yield Edit(block, new, third, text, reasons[0] if all(reasons) else "")


def record_after_update(scope: Scope) -> Iterator[Edit]:
    """`losses.append(loss.item())` computes the loss again at the end of the round."""
    for block, index, statement in scope.statements():
        name = equivalence.recorded(statement)
        values = {
            s.targets[0].id: s.value
            for s in block[:index]
            if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)
        }
        if name and name in values and index + 1 < len(block):
            late = statement
            for known in reversed(values):
                for node in [n for n in ast.walk(late) if isinstance(n, ast.Name)]:
                    if node.id == known:
                        late = substitute(late, node, values[known])
            new = [*spliced(block, index, index + 1, []), late]
            text = f"{headline(late)} was put after the update"
            yield Edit(block, new, statement, text)


def break_after_first(scope: Scope) -> Iterator[Edit]:
    """A loop ends after its first round."""
    for loop in scope.nodes:
        if not isinstance(loop, ast.For | ast.While):
            continue
        if not isinstance(loop.body[-1], ast.Return | ast.Break | ast.Continue | ast.Raise):
            text = f"a break was put at the end of {headline(loop)}"
            yield Edit(loop.body, [*loop.body, ast.Break()], loop, text)


def return_inside_loop(scope: Scope) -> Iterator[Edit]:
    """The return after a loop stands inside of it; where there is none, a bare return does."""
    for block, index, loop in scope.statements():
        if isinstance(loop, ast.For | ast.While):
            follower = block[index + 1] if index + 1 < len(block) else ast.Return(None)
            if isinstance(follower, ast.Return):
                changed = substitute(loop, loop.body, [*loop.body, follower])
                new = spliced(block, index, index + 2, [changed])
                text = f"{headline(follower)} was put inside {headline(loop)}"
                yield Edit(block, new, loop, text)


def out_of_loop(scope: Scope) -> Iterator[Edit]:
    """A loop's last statement runs once, after the loop."""
    for block, index, loop in scope.statements():
        if isinstance(loop, ast.For | ast.While) and len(loop.body) > 1:
            last = loop.body[-1]
            changed = substitute(loop, loop.body, loop.body[:-1])
            new = spliced(block, index, index + 1, [changed, last])
            yield Edit(block, new, last, f"{headline(last)} was put after the loop")


def into_loop(scope: Scope) -> Iterator[Edit]:
    """What stands before a loop is done anew in each round."""
    for block, index, statement in scope.statements():
        follower = block[index + 1] if index + 1 < len(block) else None
        if isinstance(follower, ast.For | ast.While):
            changed = substitute(follower, follower.body, [statement, *follower.body])
            new = spliced(block, index, index + 2, [changed])
            text = f"{headline(statement)} was put inside {headline(follower)}"
            yield Edit(block, new, statement, text)


def shorter_loop(scope: Scope) -> Iterator[Edit]:
    """A loop leaves out its last item, or its first; a range also runs one too far."""
    for loop in scope.find(ast.For):
        items = loop.iter
        if isinstance(items, ast.Call) and is_call_of(items, "range") and len(items.args) == 1:
            yield Edit(items, expression("range(n - 1)", n=items.args[0]), loop)
            yield Edit(items, expression("range(1, n)", n=items.args[0]), loop)
            yield Edit(items, expression("range(n + 1)", n=items.args[0]), loop)
        elif isinstance(items, ast.Name):
            yield Edit(items, expression("items[:-1]", items=items), loop)
            yield Edit(items, expression("items[1:]", items=items), loop)


def reverse_loop(scope: Scope) -> Iterator[Edit]:
    """A loop runs from the last to the first."""
    for loop in scope.find(ast.For):
        new = expression("items[::-1]", items=loop.iter)
        if is_call_of(loop.iter, "range") or isinstance(loop.iter, ast.Name):
            yield Edit(loop.iter, new, loop, equivalent=equivalence.reversed_loop(loop))


def first_index_only(scope: Scope) -> Iterator[Edit]:
    """A loop's counter is always 0 where it is used."""
    for loop in scope.find(ast.For):
        if isinstance(loop.target, ast.Name) and loop.target.id in scope.numbers:
            for node in (n for statement in loop.body for n in ast.walk(statement)):
                if isinstance(node, ast.Subscript):
                    index: ast.expr = node.slice
                    for use in [n for n in ast.walk(index) if isinstance(n, ast.Name)]:
                        if use.id == loop.target.id:
                            index = substitute(index, use, ast.Constant(0))
                    if index is not node.slice:
                        yield Edit(node, ast.Subscript(node.value, index, node.ctx), node)


def negate_condition(scope: Scope) -> Iterator[Edit]:
    """`if c` as `if not c`."""
    for node in scope.nodes:
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            yield Edit(node.test, ast.UnaryOp(ast.Not(), node.test), node)


def overwrite_argument(scope: Scope) -> Iterator[Edit]:
    """The function overwrites its first tensor argument before it does anything."""
    if not scope.parameters or scope.parameters[0] not in scope.tensors:
        return
    body = scope.function.body
    code = f"{scope.parameters[0]} *= 0.5"
    start = 1 if is_docstring(body[0]) else 0
    new = spliced(body, start, start, ast.parse(code).body)
    yield Edit(body, new, body[0], f"{code} was put at the start")


OPERATORS: tuple[Operator, ...] = (
    delete_statement,
    repeat_statement,
    swap_statements,
    move_earlier,
    record_after_update,
    break_after_first,
    return_inside_loop,
    out_of_loop,
    into_loop,
    shorter_loop,
    reverse_loop,
    first_index_only,
    negate_condition,
    overwrite_argument,
)
